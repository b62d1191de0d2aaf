// The shared types in this module's signatures come with it.
@_exported public import Helpers
