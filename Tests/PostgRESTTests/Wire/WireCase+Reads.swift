import PostgREST

extension WireCase {
  static let reads: [WireCase] = shapes + pages + embedding + wishes

  private static let shapes: [WireCase] = [
    WireCase(
      name: "columns, aliases and casts", request: "GET /books?select=id,cost:price::text&id=eq.1",
      fields: ["accept": "application/json", "prefer": nil], answer: .json(#"[{"id":1,"cost":"10.5"}]"#),
      run: { try await $0.from("books").select("id, cost:price::text").eq("id", value: 1).execute().string }),
    WireCase(
      name: "single", request: "GET /books?select=id&id=eq.1", fields: ["accept": "application/vnd.pgrst.object+json"],
      answer: .json(#"{"id":1}"#),
      run: { try await $0.from("books").select("id").eq("id", value: 1).single().execute().string }),
    WireCase(
      name: "single of none", request: "GET /books?select=id&id=eq.9", answer: .refusal(.notOneRow),
      run: { try await $0.from("books").select("id").eq("id", value: 9).single().execute().string }),
    WireCase(
      name: "maybeSingle", request: "GET /books?select=id&id=eq.1",
      fields: ["accept": "application/vnd.pgrst.object+json"], answer: .text(#"["id": 1]"#),
      run: {
        let row: [String: Int]? = try await $0.from("books").select("id").eq("id", value: 1).maybeSingle().execute()
          .value
        return "\(row, default: "none")"
      }),
    WireCase(
      name: "maybeSingle of none", request: "GET /books?select=id&id=eq.9", answer: .text("none"),
      run: {
        let row: [String: Int]? = try await $0.from("books").select("id").eq("id", value: 9).maybeSingle().execute()
          .value
        return "\(row, default: "none")"
      }),
    WireCase(
      name: "maybeSingle of several", request: "GET /books?select=id&id=gt.1", answer: .refusal(.notOneRow),
      run: {
        let row: [String: Int]? = try await $0.from("books").select("id").gt("id", value: 1).maybeSingle().execute()
          .value
        return "\(row, default: "none")"
      }),
    WireCase(
      name: "csv", request: "GET /books?select=id,title&id=lt.3&order=id.asc.nullslast", fields: ["accept": "text/csv"],
      answer: .text("id,title\n1,Notes\n2,\"Letters (1), \"\"signed\"\"\""),
      run: {
        try await $0.from("books").select("id,title").lt("id", value: 3).order("id").csv().execute(as: String.self)
          .value
      }),
    WireCase(
      name: "geojson", request: "GET /places?select=*", fields: ["accept": "application/geo+json"],
      answer: .notCompared, run: { try await $0.from("places").select().geojson().execute().string }),
    WireCase(
      name: "stripNulls", request: "GET /books?select=id,note&id=eq.1",
      fields: ["accept": "application/vnd.pgrst.array+json;nulls=stripped", "prefer": nil],
      answer: .json(#"[{"id":1}]"#),
      run: { try await $0.from("books").select("id,note").eq("id", value: 1).stripNulls().execute().string }),
    WireCase(
      name: "stripNulls of a single row", request: "GET /books?select=id,note&id=eq.1",
      fields: ["accept": "application/vnd.pgrst.object+json;nulls=stripped"], answer: .json(#"{"id":1}"#),
      run: { try await $0.from("books").select("id,note").eq("id", value: 1).stripNulls().single().execute().string }),
    WireCase(
      name: "explain", request: "GET /books?select=*",
      fields: ["accept": #"application/vnd.pgrst.plan+text; for="application/json""#], answer: .notCompared,
      run: { try await $0.from("books").select().explain().execute().string }),
    WireCase(
      name: "explain with options", request: "GET /books?select=*&id=eq.1",
      fields: [
        "accept":
          #"application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json"; options=analyze|verbose|settings|buffers|wal"#
      ], answer: .notCompared,
      run: {
        try await $0.from("books").select().eq("id", value: 1).single()
          .explain(analyze: true, verbose: true, settings: true, buffers: true, wal: true, format: "json").execute()
          .string
      }),
  ]

  private static let pages: [WireCase] = [
    WireCase(
      name: "two orders", request: "GET /books?select=id&order=in_print.asc.nullsfirst,id.desc.nullslast",
      answer: .json(#"[{"id":3},{"id":2},{"id":4},{"id":1}]"#),
      run: {
        try await $0.from("books").select("id").order("in_print", nullsFirst: true).order("id", ascending: false)
          .execute().string
      }),
    WireCase(
      name: "limit and offset", request: "GET /books?select=id&order=id.asc.nullslast&limit=2&offset=1",
      answer: .json(#"[{"id":2},{"id":3}]"#),
      run: { try await $0.from("books").select("id").order("id").limit(9).limit(2).offset(1).execute().string }),
    WireCase(
      name: "range", request: "GET /books?select=id&order=id.asc.nullslast&offset=1&limit=2",
      answer: .json(#"[{"id":2},{"id":3}]"#),
      run: { try await $0.from("books").select("id").order("id").range(from: 1, to: 2).execute().string }),
    WireCase(
      name: "count", request: "GET /books?select=id&limit=1", fields: ["prefer": "count=exact"], answer: .text("4"),
      run: { "\(try await $0.from("books").select("id", count: .exact).limit(1).execute().count ?? -1)" }),
    WireCase(
      name: "count without rows", request: "HEAD /books?select=*&id=gt.1", fields: ["prefer": "count=exact"],
      answer: .text("3"),
      run: {
        let response = try await $0.from("books").select(head: true, count: .exact).gt("id", value: 1).execute()
        return "\(response.count ?? -1)"
      }),
    WireCase(
      name: "count chosen when it runs", request: "HEAD /books?select=*", fields: ["prefer": "count=exact"],
      answer: .text("4"),
      run: {
        let response = try await $0.from("books").select().execute(options: .init(head: true, count: .exact))
        return "\(response.count ?? -1)"
      }),
    WireCase(
      name: "count by plan", request: "GET /books?select=*", fields: ["prefer": "count=planned"], answer: .notCompared,
      run: { try await $0.from("books").select(count: .planned).execute().string }),
    WireCase(
      name: "count by estimate", request: "GET /books?select=*", fields: ["prefer": "count=estimated"],
      answer: .notCompared, run: { try await $0.from("books").select(count: .estimated).execute().string }),
    WireCase(
      name: "offset behind the end", request: "GET /books?select=id&offset=9", fields: ["prefer": "count=exact"],
      answer: .refusal(.rangeNotSatisfiable),
      run: { try await $0.from("books").select("id", count: .exact).offset(9).execute().string }),
  ]

  private static let embedding: [WireCase] = [
    WireCase(
      name: "embedding", request: "GET /books?select=id,authors(name)&id=eq.1",
      answer: .json(#"[{"id":1,"authors":{"name":"Ada, Countess"}}]"#),
      run: { try await $0.from("books").select("id, authors(name)").eq("id", value: 1).execute().string }),
    WireCase(
      name: "filter on an embedded table",
      request: "GET /authors?select=id,books(id)&books.id=gt.2&order=id.asc.nullslast",
      answer: .json(#"[{"id":1,"books":[]},{"id":2,"books":[{"id":3}]},{"id":3,"books":[{"id":4}]}]"#),
      run: {
        try await $0.from("authors").select("id,books(id)").gt("books.id", value: 2).order("id").execute().string
      }),
    WireCase(
      name: "filter by an embedded table",
      request: #"GET /books?select=id,authors!inner(name)&authors.name=eq.Grace "Amazing" Hopper"#,
      answer: .json(#"[{"id":3,"authors":{"name":"Grace \"Amazing\" Hopper"}}]"#),
      run: {
        try await $0.from("books").select("id,authors!inner(name)")
          .filter(.eq("name", value: #"Grace "Amazing" Hopper"#), referencedTable: "authors").execute().string
      }),
    WireCase(
      name: "or on an embedded table",
      request: "GET /authors?select=id,books(id)&books.or=(id.eq.1,id.eq.3)&order=id.asc.nullslast",
      answer: .json(#"[{"id":1,"books":[{"id":1}]},{"id":2,"books":[{"id":3}]},{"id":3,"books":[]}]"#),
      run: {
        try await $0.from("authors").select("id,books(id)")
          .or([.eq("id", value: 1), .eq("id", value: 3)], referencedTable: "books").order("id").execute().string
      }),
    WireCase(
      name: "not.and on an embedded table", request: "GET /authors?select=id,books(id)&id=eq.1&books.not.and=(id.eq.1)",
      answer: .json(#"[{"id":1,"books":[{"id":2}]}]"#),
      run: {
        try await $0.from("authors").select("id,books(id)").eq("id", value: 1)
          .not(.and([.eq("id", value: 1)]), referencedTable: "books").execute().string
      }),
    WireCase(
      name: "order, limit and offset of an embedded table",
      request:
        "GET /authors?select=id,books(id)&id=eq.1&books.order=price.asc.nullslast,id.desc.nullslast&books.limit=1"
        + "&books.offset=1&order=id.asc.nullslast",
      answer: .json(#"[{"id":1,"books":[{"id":2}]}]"#),
      run: {
        try await $0.from("authors").select("id,books(id)").eq("id", value: 1).order("price", referencedTable: "books")
          .order("id", ascending: false, referencedTable: "books").limit(1, referencedTable: "books")
          .offset(1, referencedTable: "books").order("id").execute().string
      }),
    WireCase(
      name: "range of an embedded table",
      request: "GET /authors?select=id,books(id)&id=eq.1&books.order=id.asc.nullslast&books.offset=0&books.limit=1",
      answer: .json(#"[{"id":1,"books":[{"id":1}]}]"#),
      run: {
        try await $0.from("authors").select("id,books(id)").eq("id", value: 1).order("id", referencedTable: "books")
          .range(from: 0, to: 0, referencedTable: "books").execute().string
      }),
  ]

  private static let wishes: [WireCase] = [
    WireCase(
      name: "a schema", request: "GET /books?select=*", fields: ["accept-profile": "other", "content-profile": nil],
      answer: .notCompared, run: { try await $0.schema("other").from("books").select().execute().string }),
    WireCase(
      name: "a schema to write in", request: "POST /books",
      fields: ["accept-profile": nil, "content-profile": "other"],
      body: #"{"id":5}"#, answer: .notCompared,
      run: { try await $0.schema("other").from("books").insert(["id": 5]).execute().string }),
    WireCase(
      name: "timezone", request: "GET /books?select=published&id=eq.1",
      fields: ["prefer": "timezone=America/Los_Angeles"],
      answer: .json(#"[{"published":"2026-01-01T02:00:00.123456-08:00"}]"#),
      run: {
        try await $0.from("books").select("published").eq("id", value: 1).timezone("America/Los_Angeles").execute()
          .string
      }),
    WireCase(
      name: "handling", request: "GET /books?select=*", fields: ["prefer": "timezone=Nowhere/Never, handling=strict"],
      answer: .refusal(.init(rawValue: "22023")),
      run: { try await $0.from("books").select().timezone("Nowhere/Never").handling(.strict).execute().string }),
    WireCase(
      name: "a field of the caller's", request: "GET /books?select=id&id=eq.1", fields: ["x-mine": "yes"],
      answer: .json(#"[{"id":1}]"#),
      run: {
        try await $0.from("books").select("id").eq("id", value: 1).setHeader(name: "X-Mine", value: "yes").execute()
          .string
      }),
  ]
}
