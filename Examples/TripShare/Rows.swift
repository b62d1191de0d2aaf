import Foundation

/// The tables as the client sees them. Property names are the columns.
struct RouteRow: Codable {
  var id: Int
  var distance: Double
  var duration: Double
}

struct StepRow: Codable {
  var route_id: Int
  var seq: Int
  var instruction: String
  var distance: Double
  var duration: Double
}

struct PositionRow: Codable {
  var route_id: Int
  var seq: Int
  var latitude: Double
  var longitude: Double
  var traveled: Double
  var recorded_at: Date
}

enum Schema {
  static let sql = """
    create table routes (id integer primary key, distance double precision not null, duration double precision not null);
    create table steps (
      route_id integer not null references routes, seq integer not null, instruction text not null,
      distance double precision not null, duration double precision not null, primary key (route_id, seq));
    create table positions (
      route_id integer not null references routes, seq integer not null, latitude double precision not null,
      longitude double precision not null, traveled double precision not null, recorded_at timestamptz not null,
      primary key (route_id, seq));
    """
}
