import PostgREST

extension WireCase {
  static let functions: [WireCase] = [
    WireCase(
      name: "rpc", request: "POST /rpc/add", fields: ["content-type": "application/json"], body: #"{"a":1,"b":2}"#,
      answer: .json("3"), run: { try await $0.rpc("add", params: ["a": 1, "b": 2]).execute().string }),
    WireCase(
      name: "rpc without arguments", request: "POST /rpc/hello", body: "{}", answer: .json(#""hello""#),
      run: { try await $0.rpc("hello").execute().string }),
    WireCase(
      name: "rpc without an answer", request: "POST /rpc/forget_notes", body: "{}", answer: .text(""),
      run: { try await $0.rpc("forget_notes").execute().string }),
    WireCase(
      name: "rpc by GET", request: "GET /rpc/add?a=1&b=2", fields: ["content-type": nil], answer: .json("3"),
      run: { try await $0.rpc("add", params: ["a": 1, "b": 2], get: true).execute().string }),
    WireCase(
      name: "rpc by GET without arguments", request: "GET /rpc/hello", answer: .json(#""hello""#),
      run: { try await $0.rpc("hello", get: true).execute().string }),
    WireCase(
      name: "rpc by GET with an array", request: "GET /rpc/total?numbers={1,2,3}", answer: .json("6"),
      run: { try await $0.rpc("total", params: ["numbers": [1, 2, 3]], get: true).execute().string }),
    WireCase(
      name: "rpc by HEAD", request: "HEAD /rpc/books_of?author=1", fields: ["prefer": "count=exact"],
      answer: .text("2"),
      run: {
        let response = try await $0.rpc("books_of", params: ["author": 1], head: true, count: .exact).execute()
        return "\(response.count ?? -1)"
      }),
    WireCase(
      name: "rpc with filters", request: "GET /rpc/books_of?author=1&price=gt.15&select=id&order=id.asc.nullslast",
      answer: .json(#"[{"id":2}]"#),
      run: {
        try await $0.rpc("books_of", params: ["author": 1], get: true).gt("price", value: 15).select("id").order("id")
          .execute().string
      }),
    WireCase(
      name: "rpc of one row", request: "POST /rpc/books_of?id=eq.1&select=id",
      fields: ["accept": "application/vnd.pgrst.object+json"], body: #"{"author":1}"#, answer: .json(#"{"id":1}"#),
      run: {
        try await $0.rpc("books_of", params: ["author": 1]).eq("id", value: 1).select("id").single().execute().string
      }),
    WireCase(
      name: "rpc in a schema", request: "POST /rpc/hello", fields: ["content-profile": "other"], body: "{}",
      answer: .notCompared, run: { try await $0.schema("other").rpc("hello").execute().string }),
    WireCase(
      name: "rpc that is not there", request: "POST /rpc/nothing", body: "{}", answer: .refusal(.functionNotFound),
      run: { try await $0.rpc("nothing").execute().string }),
  ]
}
