import Foundation
import TestSupport
import Testing

@Suite("The trip example")
struct TripShareTests {
  @Test("It drives its own route to the end, checks itself and exits with 0")
  func ownRoute() async throws {
    let command = try ChildProgram("trip-share", [])
    #expect(await command.status() == 0)
    #expect(command.output.contains("100 %"))
    #expect(command.output.contains("positions stored"))
    #expect(!command.output.contains("WRONG"))
    #expect(!command.output.contains("\u{1B}"), "colours in a pipe")
  }

  private static let servedRoutes: [String] = {
    let folder = Conformance.folder + "/navigation/routes"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { "\(folder)/\($0)" }
  }()

  @Test(
    "Routes as real servers return them are driven and stored within 1 % of their distance",
    .enabled(if: !servedRoutes.isEmpty, "CONFORMANCE_DIR has no navigation/routes"), arguments: servedRoutes)
  func servedRoute(path: String) async throws {
    let command = try ChildProgram("trip-share", ["--route", path])
    #expect(await command.status() == 0, "\(command.output)")
    #expect(!command.output.contains("WRONG"))
  }

  @Test(
    "What is no route is one line and its exit status, and nothing is left behind",
    arguments: [
      ("", 65), ("{}", 65), (#"{"routes":[]}"#, 65),
      (#"{"routes":[{"geometry":"","distance":0,"duration":0,"legs":[]}]}"#, 65),
      (#"{"routes":[{"geometry":"_ibE","distance":0,"duration":0,"legs":[]}]}"#, 65),
      (#"{"routes":[{"geometry":{"type":"LineString"},"distance":1,"duration":0,"legs":[]}]}"#, 65),
    ] as [(String, Int32)])
  func badRoute(content: String, status: Int32) async throws {
    let folder = try ScratchFolder()
    try folder.write(content, to: "route.json")
    let command = try ChildProgram("trip-share", ["--route", folder.path + "/route.json"])
    #expect(await command.status() == status)
    #expect(command.output.split(separator: "\n").count == 1, "\(command.output)")
  }

  @Test("A missing file is one line and exit 66")
  func missingFile() async throws {
    let command = try ChildProgram("trip-share", ["--route", "/nowhere/route.json"])
    #expect(await command.status() == 66)
    #expect(command.output == "trip-share: /nowhere/route.json does not exist or cannot be read.\n")
  }

  @Test("Ctrl-C stops it at any moment, with nothing left running", arguments: ["Starting the backend", "20 %"])
  func interrupted(moment: String) async throws {
    let command = try ChildProgram("trip-share", [])
    #expect(await command.writes(moment), "\(command.output)")
    let children = descendants(of: command.identifier)
    command.send(SIGINT)
    #expect(await command.status() == 130)
    #expect(await eventually { !children.contains { FileManager.default.fileExists(atPath: "/proc/\($0)") } })
  }

  @Test("A route across the date line is driven the short way, and control characters in it are not obeyed")
  func oddRoute() async throws {
    let folder = try ScratchFolder()
    let steps = #"[{"name":"\u0000\u001b[31mMain\n Road","distance":9,"duration":9,"maneuver":{"type":"turn"}}]"#
    let route = #"{"geometry":"?wohivI?n`rsmT","distance":111.2,"duration":9,"legs":[{"steps":\#(steps)}]}"#
    try folder.write(#"{"routes":[\#(route)]}"#, to: "route.json")
    let command = try ChildProgram("trip-share", ["--route", folder.path + "/route.json"])
    #expect(await command.status() == 0, "\(command.output)")
    #expect(command.output.contains("turn onto [31mMain Road\n"), "\(command.output)")
  }

  private func descendants(of parent: Int32) -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let parents = entries.compactMap { Int32($0) }.compactMap { identifier -> (Int32, Int32)? in
      guard let data = FileManager.default.contents(atPath: "/proc/\(identifier)/stat") else { return nil }
      let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 ? Int32(fields[1]).map { (identifier, $0) } : nil
    }
    var found: [Int32] = [parent]
    var index = 0
    while index < found.count {
      found += parents.filter { $0.1 == found[index] }.map(\.0)
      index += 1
    }
    return Array(found.dropFirst())
  }
}
