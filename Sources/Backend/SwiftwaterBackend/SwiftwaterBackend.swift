// The services' types in this module's configuration and inbox come with it.
@_exported public import SupabaseServices
