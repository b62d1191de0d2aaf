import PostgREST

extension WireCase {
  static let writes: [WireCase] = insertions + upserts + changes

  /// What a case returns to show what the table holds afterwards.
  private static func notes(_ client: PostgrestClient) async throws -> String {
    let rows: [[String: JSONValue]] = try await client.from("books").select("id,note").order("id").execute().value
    return rows.map { "\($0["id"]?.intValue ?? 0)\($0["note"]?.stringValue.map { ":\($0)" } ?? "")" }
      .joined(separator: " ")
  }

  private static let insertions: [WireCase] = [
    WireCase(
      name: "insert", request: "POST /books", fields: ["prefer": nil, "content-type": "application/json"],
      body: #"{"id":5}"#, answer: .text("1 2:x,y 3: 4:null 5:new"),
      run: {
        try await $0.from("books").insert(["id": 5]).execute()
        return try await notes($0)
      }),
    WireCase(
      name: "insert and return", request: "POST /books?select=id,note", fields: ["prefer": "return=representation"],
      body: #"{"id":5}"#, answer: .json(#"[{"id":5,"note":"new"}]"#),
      run: { try await $0.from("books").insert(["id": 5]).select("id, note").execute().string }),
    WireCase(
      name: "insert and return one", request: "POST /books?select=id,note",
      fields: ["prefer": "return=representation", "accept": "application/vnd.pgrst.object+json"], body: #"{"id":5}"#,
      answer: .json(#"{"id":5,"note":"new"}"#),
      run: { try await $0.from("books").insert(["id": 5]).select("id,note").single().execute().string }),
    WireCase(
      name: "insert several", request: #"POST /books?columns="id","note"&select=id,note"#,
      fields: ["prefer": "count=exact, return=representation"], body: #"[{"id":5},{"id":6,"note":"x"}]"#,
      answer: .json(#"[{"id":5,"note":null},{"id":6,"note":"x"}]"#),
      run: {
        try await $0.from("books").insert([["id": 5], ["id": 6, "note": "x"]] as [JSONObject], count: .exact)
          .select("id,note").execute().string
      }),
    WireCase(
      name: "insert with defaults", request: #"POST /books?columns="id","note"&select=id,note"#,
      fields: ["prefer": "missing=default, return=representation"], body: #"[{"id":5},{"id":6,"note":"x"}]"#,
      answer: .json(#"[{"id":5,"note":"new"},{"id":6,"note":"x"}]"#),
      run: {
        try await $0.from("books").insert([["id": 5], ["id": 6, "note": "x"]] as [JSONObject], defaultToNull: false)
          .select("id,note").execute().string
      }),
    WireCase(
      name: "insert and return nothing", request: "POST /books", fields: ["prefer": "return=minimal"],
      body: #"{"id":5}"#, answer: .text(""),
      run: { try await $0.from("books").insert(["id": 5], returning: .minimal).execute().string }),
    WireCase(
      name: "insert and return fields", request: "POST /books", fields: ["prefer": "return=headers-only"],
      body: #"{"id":5}"#, answer: .text("/books?id=eq.5"),
      run: {
        let response = try await $0.from("books").insert(["id": 5], returning: .headersOnly).execute()
        return response.response.headerFields[.location] ?? "no location"
      }),
    WireCase(
      name: "insert twice", request: "POST /books", body: #"{"id":1}"#, answer: .refusal(.uniqueViolation),
      run: { try await $0.from("books").insert(["id": 1]).execute().string }),
  ]

  private static let upserts: [WireCase] = [
    WireCase(
      name: "upsert", request: "POST /books?select=id,note",
      fields: ["prefer": "resolution=merge-duplicates, return=representation"], body: #"{"id":1,"note":"seen"}"#,
      answer: .json(#"[{"id":1,"note":"seen"}]"#),
      run: {
        try await $0.from("books").upsert(["id": 1, "note": "seen"] as JSONObject).select("id,note").execute().string
      }),
    WireCase(
      name: "upsert by another column", request: "POST /authors?on_conflict=name",
      fields: ["prefer": "resolution=merge-duplicates, return=representation"], body: #"{"id":3,"name":"null"}"#,
      answer: .json(#"[{"id":3,"name":"null"}]"#),
      run: {
        try await $0.from("authors").upsert(["id": 3, "name": "null"] as JSONObject, onConflict: "name").execute()
          .string
      }),
    WireCase(
      name: "upsert that leaves what is there", request: #"POST /books?columns="id","note"&select=id,note"#,
      fields: ["prefer": "resolution=ignore-duplicates, return=representation"],
      body: #"[{"id":1,"note":"seen"},{"id":5,"note":"x"}]"#, answer: .json(#"[{"id":5,"note":"x"}]"#),
      run: {
        let rows: [JSONObject] = [["id": 1, "note": "seen"], ["id": 5, "note": "x"]]
        return try await $0.from("books").upsert(rows, ignoreDuplicates: true).select("id,note").execute().string
      }),
    WireCase(
      name: "upsert with everything", request: #"POST /books?on_conflict=id,note&columns="id""#,
      fields: ["prefer": "resolution=merge-duplicates, return=minimal, count=exact, missing=default"],
      body: #"[{"id":5}]"#, answer: .notCompared,
      run: {
        try await $0.from("books")
          .upsert([["id": 5]], onConflict: "id, note", returning: .minimal, count: .exact, defaultToNull: false)
          .execute().string
      }),
  ]

  private static let changes: [WireCase] = [
    WireCase(
      name: "update", request: "PATCH /books?id=eq.1&select=id,note", fields: ["prefer": "return=representation"],
      body: #"{"note":"seen"}"#, answer: .json(#"[{"id":1,"note":"seen"}]"#),
      run: { try await $0.from("books").update(["note": "seen"]).eq("id", value: 1).select("id,note").execute().string }
    ),
    WireCase(
      name: "update to NULL", request: "PATCH /books?id=eq.2&select=id,note", body: #"{"note":null}"#,
      answer: .json(#"[{"id":2,"note":null}]"#),
      run: {
        try await $0.from("books").update(["note": JSONValue.null]).eq("id", value: 2).select("id,note").execute()
          .string
      }),
    WireCase(
      name: "update and count", request: "PATCH /books?id=gt.2", fields: ["prefer": "return=minimal, count=exact"],
      body: #"{"note":"seen"}"#, answer: .text("2"),
      run: {
        let response = try await $0.from("books").update(["note": "seen"], returning: .minimal, count: .exact)
          .gt("id", value: 2).execute()
        return "\(response.count ?? -1)"
      }),
    WireCase(
      name: "maxAffected", request: "PATCH /books?id=gt.1",
      fields: ["prefer": "return=representation, handling=strict, max-affected=2"], body: #"{"note":"seen"}"#,
      answer: .refusal(.maxAffectedExceeded),
      run: {
        try await $0.from("books").update(["note": "seen"]).gt("id", value: 1).maxAffected(2).execute().string
      }),
    WireCase(
      name: "dryRun", request: "PATCH /books?id=eq.1", fields: ["prefer": "return=representation, tx=rollback"],
      body: #"{"note":"seen"}"#, answer: .text("1 2:x,y 3: 4:null"),
      run: {
        try await $0.from("books").update(["note": "seen"]).eq("id", value: 1).dryRun().execute()
        return try await notes($0)
      }),
    WireCase(
      name: "delete", request: "DELETE /books?id=gt.2&select=id", fields: ["prefer": "return=representation"],
      answer: .json(#"[{"id":3},{"id":4}]"#),
      run: { try await $0.from("books").delete().gt("id", value: 2).select("id").execute().string }),
    WireCase(
      name: "delete and return nothing", request: "DELETE /books?id=gt.1",
      fields: ["prefer": "return=minimal, count=exact"], answer: .text("1"),
      run: {
        try await $0.from("books").delete(returning: .minimal, count: .exact).gt("id", value: 1).execute()
        return try await notes($0)
      }),
    WireCase(
      name: "delete of one that is not there", request: "DELETE /books?id=eq.9",
      fields: ["accept": "application/vnd.pgrst.object+json"], answer: .text("none"),
      run: {
        let row: JSONObject? = try await $0.from("books").delete().eq("id", value: 9).maybeSingle().execute().value
        return row == nil ? "none" : "some"
      }),
  ]
}
