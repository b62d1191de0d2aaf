/// The name that version 2 of supabase-swift has for any JSON value.
public typealias AnyJSON = JSONValue
/// A JSON object: members by name.
public typealias JSONObject = [String: JSONValue]
/// A JSON list.
public typealias JSONArray = [JSONValue]
