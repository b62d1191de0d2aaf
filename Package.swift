// swift-tools-version: 6.2
import PackageDescription

/// One list for every target: what is strict here is strict everywhere.
let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
  ]
  // ThreadSanitizer on Linux does not understand Synchronization.Mutex; `./dev test --full` sets this.
  + (Context.environment["SWIFTWATER_PTHREAD_LOCK"] == nil ? [] : [.define("SWIFTWATER_PTHREAD_LOCK")])

extension Target {
  static func library(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(path)", swiftSettings: settings)
  }

  static func program(_ name: String, path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
  }

  static func tests(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
      name: folder, dependencies: dependencies + ["TestSupport"], path: "Tests/\(folder)", swiftSettings: settings)
  }

  static func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
      name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
  }
}

let package = Package(
  name: "Swiftwater",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SwiftwaterStreams", targets: ["SwiftwaterStreams"]),
    .library(name: "SwiftwaterHTTP", targets: ["SwiftwaterHTTP"]),
    .library(name: "SwiftwaterSockets", targets: ["SwiftwaterSockets"]),
    .library(name: "SwiftwaterCurl", targets: ["SwiftwaterCurl"]),
    .library(name: "SwiftwaterTokens", targets: ["SwiftwaterTokens"]),
    .library(name: "SwiftwaterSessions", targets: ["SwiftwaterSessions"]),
    .library(name: "SwiftwaterHTTPServer", targets: ["SwiftwaterHTTPServer"]),
    .library(name: "Auth", targets: ["Auth"]),
    .library(name: "PostgREST", targets: ["PostgREST"]),
    .library(name: "Supabase", targets: ["Supabase"]),
    .library(name: "SwiftwaterBackend", targets: ["SwiftwaterBackend"]),
    .executable(name: "swiftwater", targets: ["swiftwater"]),
  ],
  targets: [
    // Core: no backend vocabulary.
    .library("SwiftwaterStreams", "Core/Streams"),
    .library("SwiftwaterHTTP", "Core/HTTP", ["SwiftwaterStreams"]),
    .library("SwiftwaterSockets", "Core/Sockets", ["SwiftwaterHTTP", "SwiftwaterStreams", "CZlib", "CCrypto"]),
    .library(
      "SwiftwaterCurl", "Core/Curl", ["SwiftwaterHTTP", "SwiftwaterSockets", "SwiftwaterStreams", "CCurl", "CSystem"]),
    .library("SwiftwaterTokens", "Core/Tokens", ["SwiftwaterHTTP", "SwiftwaterStreams", "CCrypto"]),
    .library("SwiftwaterSessions", "Core/Sessions", ["SwiftwaterHTTP", "SwiftwaterStreams", "CSystem"]),

    // The Supabase family.
    .library("Helpers", "Supabase/Helpers", ["SwiftwaterHTTP", "SwiftwaterCurl"]),
    .library(
      "Auth", "Supabase/Auth",
      ["Helpers", "SwiftwaterHTTP", "SwiftwaterSessions", "SwiftwaterStreams", "SwiftwaterTokens", "CCrypto"]),
    .library("PostgREST", "Supabase/PostgREST", ["Helpers"]),
    .library(
      "Supabase", "Supabase/Supabase", ["Auth", "Helpers", "PostgREST", "SwiftwaterStreams", "SwiftwaterTokens"]),

    // The local backend.
    .library("SwiftwaterEventLoop", "Backend/EventLoop", ["SwiftwaterStreams", "CSystem"]),
    .library(
      "SwiftwaterHTTPServer", "Backend/HTTPServer",
      ["SwiftwaterHTTP", "SwiftwaterSockets", "SwiftwaterStreams", "SwiftwaterEventLoop", "CSystem", "CTLS"]),
    .library(
      "SwiftwaterPostgres", "Backend/Postgres", ["SwiftwaterStreams", "SwiftwaterEventLoop", "CPostgres", "CSystem"]),
    .library(
      "SupabaseServices", "Backend/SupabaseServices",
      [
        "SwiftwaterHTTP", "SwiftwaterHTTPServer", "SwiftwaterPostgres", "SwiftwaterStreams", "SwiftwaterTokens",
        "CCrypto", "CCurl",
      ]),
    .library(
      "SwiftwaterBackend", "Backend/SwiftwaterBackend",
      [
        "CSystem", "SwiftwaterCurl", "SwiftwaterEventLoop", "SwiftwaterHTTP", "SwiftwaterHTTPServer",
        "SwiftwaterPostgres",
        "SwiftwaterStreams", "SwiftwaterTokens", "SupabaseServices",
      ]),
    .program("swiftwater", path: "Sources/Command/swiftwater",
      ["SwiftwaterBackend", "SupabaseServices", "SwiftwaterCurl", "SwiftwaterHTTP", "CSystem"]),

    // C libraries of the system.
    .system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    .system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    .system("CTLS", pkgConfig: "libssl", apt: "libssl-dev", brew: "openssl@3"),
    .system("CPostgres", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq"),
    .system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    .target(name: "CSystem", path: "Sources/CLibraries/CSystem"),

    // Programs that show and measure.
    .executableTarget(
      name: "trip-share", dependencies: ["SwiftwaterBackend", "SwiftwaterStreams", "PostgREST"],
      path: "Examples/TripShare", resources: [.embedInCode("harbour-route.json")], swiftSettings: settings),
    .program("first-program", path: "Examples/FirstProgram", ["SwiftwaterBackend", "PostgREST"]),
    .program(
      "auth-benchmark", path: "Benchmarks/AuthBenchmark",
      [
        "BenchmarkSupport", "CCrypto", "CPostgres", "Supabase", "SupabaseServices", "SwiftwaterBackend",
        "SwiftwaterCurl", "SwiftwaterHTTP", "SwiftwaterSessions", "SwiftwaterTokens",
      ]),
    .program(
      "rest-benchmark", path: "Benchmarks/RESTBenchmark",
      [
        "BenchmarkSupport", "CPostgres", "SupabaseServices", "SwiftwaterBackend", "SwiftwaterCurl", "SwiftwaterHTTP",
        "SwiftwaterPostgres", "SwiftwaterTokens",
      ]),
    .program(
      "restclient-benchmark", path: "Benchmarks/RESTClientBenchmark", ["BenchmarkSupport", "PostgREST"]),
    .program(
      "postgres-benchmark", path: "Benchmarks/PostgresBenchmark",
      ["BenchmarkSupport", "SwiftwaterPostgres", "CPostgres"]),
    .program(
      "server-benchmark", path: "Benchmarks/ServerBenchmark",
      ["BenchmarkSupport", "SwiftwaterCurl", "SwiftwaterHTTPServer", "SwiftwaterHTTP", "SwiftwaterSockets"]),
    .program(
      "http-benchmark", path: "Benchmarks/HTTPBenchmark",
      ["BenchmarkSupport", "SwiftwaterCurl", "SwiftwaterHTTP", "SwiftwaterHTTPServer", "SwiftwaterStreams"]),
    .program("streams-benchmark", path: "Benchmarks/StreamsBenchmark", ["BenchmarkSupport", "SwiftwaterStreams"]),
    .program(
      "websocket-benchmark", path: "Benchmarks/WebSocketBenchmark",
      ["BenchmarkSupport", "SwiftwaterCurl", "SwiftwaterHTTP", "SwiftwaterSockets"]),
    .target(
      name: "BenchmarkSupport", dependencies: ["CSystem"], path: "Benchmarks/Support", exclude: ["tools.sh"],
      swiftSettings: settings),

    // Tests mirror Sources.
    .target(
      name: "TestSupport", dependencies: ["SwiftwaterStreams", "CSystem"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .tests("StreamsTests", ["SwiftwaterStreams"]),
    .tests("HTTPTests", ["SwiftwaterHTTP", "SwiftwaterStreams"]),
    .tests("SocketsTests", ["SwiftwaterSockets", "SwiftwaterHTTP", "SwiftwaterStreams"]),
    .tests("TokensTests", ["SwiftwaterTokens", "SwiftwaterHTTP", "SwiftwaterStreams", "CCrypto"]),
    .tests("SessionsTests", ["SwiftwaterSessions", "SwiftwaterHTTP", "SwiftwaterStreams", "session-child"]),
    // The other process of the tests about several.
    .program("session-child", path: "Tests/SessionChild", ["SwiftwaterSessions"]),
    .tests(
      "CurlTests",
      ["SwiftwaterCurl", "SwiftwaterHTTP", "SwiftwaterSockets", "SwiftwaterStreams", "SwiftwaterHTTPServer"]),
    .tests(
      "HTTPServerTests",
      [
        "SwiftwaterHTTPServer", "SwiftwaterHTTP", "SwiftwaterSockets", "SwiftwaterEventLoop", "SwiftwaterStreams",
        "SwiftwaterCurl",
      ]),
    .target(
      name: "PostgresTestSupport", dependencies: ["SwiftwaterPostgres"], path: "Tests/PostgresTestSupport",
      swiftSettings: settings),
    .tests("PostgresTests", ["SwiftwaterPostgres", "PostgresTestSupport", "SwiftwaterEventLoop", "SwiftwaterStreams"]),
    .tests("HelpersTests", ["Helpers", "SwiftwaterStreams"]),
    .tests(
      "AuthTests",
      ["Auth", "SwiftwaterHTTP", "SwiftwaterHTTPServer", "SwiftwaterSessions", "SwiftwaterStreams", "SwiftwaterTokens"]),
    .tests(
      "PostgRESTTests",
      [
        "PostgREST", "SwiftwaterBackend", "SwiftwaterPostgres", "PostgresTestSupport", "SwiftwaterHTTP",
        "SwiftwaterStreams",
      ]),
    .tests(
      "SupabaseTests",
      [
        "CCrypto", "Supabase", "SupabaseServices", "SwiftwaterBackend", "SwiftwaterCurl", "SwiftwaterHTTP",
        "SwiftwaterStreams", "SwiftwaterTokens",
      ]),
    .tests("SupabaseServicesTests", ["SupabaseServices", "SwiftwaterHTTP", "SwiftwaterTokens"]),
    .tests(
      "AuthServiceTests",
      [
        "SwiftwaterBackend", "SupabaseServices", "SwiftwaterCurl", "SwiftwaterHTTP", "SwiftwaterHTTPServer",
        "SwiftwaterPostgres", "SwiftwaterStreams", "SwiftwaterTokens", "PostgREST", "PostgresTestSupport",
      ]),
    .tests(
      "BackendTests",
      [
        "SwiftwaterBackend", "SwiftwaterPostgres", "SwiftwaterHTTPServer", "SupabaseServices", "PostgREST",
        "PostgresTestSupport", "SwiftwaterTokens",
      ]),
    .tests(
      "ConformanceTests",
      [
        "SupabaseServices", "SwiftwaterCurl", "SwiftwaterHTTP", "SwiftwaterHTTPServer", "SwiftwaterPostgres",
        "SwiftwaterTokens",
      ]),
    .tests(
      "InteropTests",
      ["SwiftwaterCurl", "SwiftwaterHTTP", "SwiftwaterHTTPServer", "SwiftwaterSockets", "SwiftwaterStreams"]),
    // As a user's package would be: none of the settings that this one makes for itself.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Auth", "PostgREST", "Supabase", "SupabaseServices", "SwiftwaterBackend", "SwiftwaterCurl",
        "SwiftwaterEventLoop", "SwiftwaterHTTP", "SwiftwaterSessions", "SwiftwaterSockets", "SwiftwaterStreams",
        "SwiftwaterTokens", "TestSupport",
      ],
      path: "Tests/DocumentationTests", swiftSettings: [.swiftLanguageMode(.v6)]),
    .tests("CommandTests", ["swiftwater", "trip-share", "PostgREST", "SwiftwaterStreams"]),
  ]
)

// `./dev fuzz` builds these, and everything they reach, with libFuzzer's instrumentation.
if Context.environment["SWIFTWATER_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    .program("fuzz-http", path: "Fuzz/HTTP", ["SwiftwaterHTTPServer", "CFuzzer"]),
    .program("fuzz-json", path: "Fuzz/JSON", ["SwiftwaterHTTP", "CFuzzer"]),
    .program("fuzz-sse", path: "Fuzz/SSE", ["SwiftwaterHTTP", "CFuzzer"]),
    .program("fuzz-websocket", path: "Fuzz/WebSocket", ["SwiftwaterSockets", "CFuzzer"]),
  ]
}
