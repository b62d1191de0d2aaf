// Every client module offers the HTTP layer's types in its own signatures, so importing the module is enough.
@_exported public import SwiftwaterHTTP
