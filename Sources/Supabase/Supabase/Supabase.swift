// Importing the facade is enough for what its modules offer.
@_exported public import Auth
@_exported public import PostgREST
