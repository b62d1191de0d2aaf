import FoundationEssentials
import PostgREST

extension WireCase {
  static let filters: [WireCase] = comparisons + lists + patterns + containment + searches + logic

  private static let comparisons: [WireCase] = [
    filter("eq", "id=eq.1", [1], { $0.eq("id", value: 1) }, { $0.equals("id", value: 1) }),
    filter("eq with a comma", "note=eq.x,y", [2], { $0.eq("note", value: "x,y") }),
    filter("eq with quotes", #"title=eq.Letters (1), "signed""#, [2]) {
      $0.eq("title", value: #"Letters (1), "signed""#)
    },
    filter("eq with no text", "note=eq.", [3], { $0.eq("note", value: "") }),
    filter("eq with the text null", "note=eq.null", [4], { $0.eq("note", value: "null") }),
    filter("eq with a date", "published=eq.2026-01-01T10:00:00.123456Z", [1]) {
      $0.eq("published", value: Date(timeIntervalSince1970: 1_767_261_600.123456))
    },
    filter("eq in JSON", "info->>lang=eq.fr", [2], { $0.eq("info->>lang", value: "fr") }),
    filter("eq with JSON", #"info=eq.{"lang":"fr"}"#, [2], { $0.eq("info", value: ["lang": "fr"] as JSONValue) }),
    filter("neq", "id=neq.1", [2, 3, 4], { $0.neq("id", value: 1) }, { $0.notEquals("id", value: 1) }),
    filter("gt", "price=gt.20", [3, 4], { $0.gt("price", value: 20) }, { $0.greaterThan("price", value: 20) }),
    filter(
      "gte", "price=gte.20.0", [2, 3, 4], { $0.gte("price", value: 20.0) },
      { $0.greaterThanOrEquals("price", value: 20.0) }),
    filter("lt", "price=lt.20", [1], { $0.lt("price", value: 20) }, { $0.lowerThan("price", value: 20) }),
    filter(
      "lte", "price=lte.20", [1, 2], { $0.lte("price", value: 20) }, { $0.lowerThanOrEquals("price", value: 20) }),
    filter("is null", "note=is.null", [1], { $0.is("note", value: nil) }),
    filter("is true", "in_print=is.true", [1, 4], { $0.is("in_print", value: true) }),
    filter("is false", "in_print=is.false", [2], { $0.is("in_print", value: false) }),
    filter(
      "isdistinct", "note=isdistinct.x,y", [1, 3, 4], { $0.isDistinct("note", value: "x,y") },
      { $0.isdistinct("note", value: "x,y") }),
    filter("match of columns", "id=eq.1&title=eq.Notes", [1], { $0.match(["title": "Notes", "id": 1]) }),
    filter("several on one column", "id=gt.1&id=lt.4", [2, 3], { $0.gt("id", value: 1).lt("id", value: 4) }),
  ].flatMap(\.self)

  private static let lists: [WireCase] = [
    filter("in", "id=in.(1,3)", [1, 3], { $0.in("id", values: [1, 3]) }),
    filter("in with quotes", #"title=in.("Letters (1), \"signed\"",Notes)"#, [1, 2]) {
      $0.in("title", values: [#"Letters (1), "signed""#, "Notes"])
    },
    filter("in with null and no text", #"note=in.("null","")"#, [3, 4], { $0.in("note", values: ["null", ""]) }),
    filter("in no text", #"note=in.("","")"#, [3], { $0.in("note", values: [""]) }),
    filter("in nothing", "id=in.()", [], { $0.in("id", values: []) }),
    filter("in of several types", "id=in.(1,2)", [1, 2], { $0.in("id", values: [1, "2"]) }),
    filter(
      "not.in", "id=not.in.(1,3)", [2, 4], { $0.notIn("id", values: [1, 3]) },
      { $0.not("id", operator: .in, value: [1, 3]) }, { $0.not("id", operator: .in, value: "(1,3)") },
      { $0.not(.in("id", values: [1, 3])) }),
  ].flatMap(\.self)

  private static let patterns: [WireCase] = [
    filter("like", "title=like.%ters%", [2], { $0.like("title", pattern: "%ters%") }),
    filter("like with stars", "title=like.C*", [3], { $0.like("title", pattern: "C*") }),
    filter("ilike", "title=ilike.the%", [4], { $0.ilike("title", pattern: "the%") }),
    filter("like(all)", "title=like(all).{%e%,%s}", [1, 3, 4], { $0.likeAllOf("title", patterns: ["%e%", "%s"]) }),
    filter("like(any)", "title=like(any).{N%,C%}", [1, 3], { $0.likeAnyOf("title", patterns: ["N%", "C%"]) }),
    filter("like(any) with quotes", #"title=like(any).{"Letters (1), \"s%"}"#, [2]) {
      $0.likeAnyOf("title", patterns: [#"Letters (1), "s%"#])
    },
    filter("ilike(all)", "title=ilike(all).{n%,%S}", [1], { $0.iLikeAllOf("title", patterns: ["n%", "%S"]) }),
    filter("ilike(any)", "title=ilike(any).{n%,c%}", [1, 3], { $0.iLikeAnyOf("title", patterns: ["n%", "c%"]) }),
    filter("match", "title=match.^C", [3], { $0.match("title", pattern: "^C") }),
    filter("imatch", "title=imatch.CATS$", [4], { $0.imatch("title", pattern: "CATS$") }),
  ].flatMap(\.self)

  private static let containment: [WireCase] = [
    filter(
      "cs", "tags=cs.{history}", [1, 2], { $0.cs("tags", value: ["history"]) },
      { $0.contains("tags", value: ["history"]) }),
    filter("cs with a comma", #"tags=cs.{"a,b"}"#, [2], { $0.contains("tags", value: ["a,b"]) }),
    filter("cs in JSON", #"info=cs.{"lang":"en"}"#, [1, 3]) {
      $0.contains("info", value: ["lang": "en"] as JSONObject)
    },
    filter("cs of a range", "pages=cs.[60,70]", [1, 3], { $0.contains("pages", value: 60...70) }),
    filter(
      "cd", "tags=cd.{math,history,code}", [1, 3, 4], { $0.cd("tags", value: ["math", "history", "code"]) },
      { $0.containedBy("tags", value: ["math", "history", "code"]) }),
    filter(
      "ov", "tags=ov.{code,math}", [1, 3], { $0.ov("tags", value: ["code", "math"]) },
      { $0.overlaps("tags", value: ["code", "math"]) }),
    filter("ov of a range", "pages=ov.[90,110)", [1, 2, 3], { $0.overlaps("pages", value: 90..<110) }),
    filter("ov of a range without an end", "pages=ov.[200,)", [4], { $0.overlaps("pages", value: 200...) }),
    filter("cd of a range without a beginning", "pages=cd.(,150)", [1, 3], { $0.containedBy("pages", value: ..<150) }),
    filter(
      "sl", "pages=sl.[150,160)", [1, 3], { $0.sl("pages", range: 150..<160) },
      { $0.rangeLt("pages", range: 150..<160) }, { $0.rangeLowerThan("pages", range: "[150,160)") }),
    filter(
      "sr", "pages=sr.[0,99]", [2, 4], { $0.sr("pages", range: 0...99) }, { $0.rangeGt("pages", range: 0...99) },
      { $0.rangeGreaterThan("pages", value: "[0,99]") }),
    filter(
      "nxl", "pages=nxl.[100,200)", [2, 4], { $0.nxl("pages", range: 100..<200) },
      { $0.rangeGte("pages", range: 100..<200) }, { $0.rangeGreaterThanOrEquals("pages", value: "[100,200)") }),
    filter(
      "nxr", "pages=nxr.[0,150)", [1, 3], { $0.nxr("pages", range: 0..<150) },
      { $0.rangeLte("pages", range: 0..<150) }, { $0.rangeLowerThanOrEquals("pages", value: "[0,150)") }),
    filter(
      "adj", "pages=adj.[200,300)", [2, 4], { $0.adj("pages", range: 200..<300) },
      { $0.rangeAdjacent("pages", range: 200..<300) }),
  ].flatMap(\.self)

  private static let searches: [WireCase] = [
    filter(
      "fts", "title=fts.cats", [4], { $0.fts("title", query: "cats") }, { $0.fullTextSearch("title", query: "cats") },
      { $0.textSearch("title", query: "cats") }),
    filter(
      "fts in a language", "title=fts(english).fat & cat", [4],
      { $0.fts("title", query: "fat & cat", config: "english") },
      { $0.fullTextSearch("title", query: "fat & cat", config: "english") }),
    filter(
      "plfts", "title=plfts(english).The Fat Cats", [4],
      { $0.plfts("title", query: "The Fat Cats", config: "english") },
      { $0.plainToFullTextSearch("title", query: "The Fat Cats", config: "english") }),
    filter(
      "phfts", "title=phfts(english).fat cat", [4], { $0.phfts("title", query: "fat cat", config: "english") },
      { $0.phraseToFullTextSearch("title", query: "fat cat", config: "english") }),
    filter(
      "wfts", "title=wfts(english).fat or compiler", [3, 4],
      { $0.wfts("title", query: "fat or compiler", config: "english") },
      { $0.webFullTextSearch("title", query: "fat or compiler", config: "english") },
      { $0.textSearch("title", query: "fat or compiler", config: "english", type: .websearch) }),
  ].flatMap(\.self)

  private static let logic: [WireCase] = [
    filter(
      "not", "id=not.eq.1", [2, 3, 4], { $0.not("id", operator: .eq, value: 1) }, { $0.not(.eq("id", value: 1)) }),
    filter(
      "not null", "note=not.is.null", [2, 3, 4], { $0.not("note", operator: .is, value: "null") },
      { $0.not(.is("note", value: nil)) }),
    filter("not.or", "not.or=(id.eq.1,id.eq.2)", [3, 4], { $0.not(.or([.eq("id", value: 1), .eq("id", value: 2)])) }),
    filter("or", "or=(id.eq.1,id.eq.2)", [1, 2], { $0.or([.eq("id", value: 1), .eq("id", value: 2)]) }) {
      $0.or("id.eq.1,id.eq.2")
    },
    filter("or with quotes", #"or=(note.eq."x,y",note.eq."",note.eq."null")"#, [2, 3, 4]) {
      $0.or([.eq("note", value: "x,y"), .eq("note", value: ""), .eq("note", value: "null")])
    },
    filter("or with parentheses", #"or=(title.eq."Letters (1), \"signed\"",id.eq.1)"#, [1, 2]) {
      $0.or([.eq("title", value: #"Letters (1), "signed""#), .eq("id", value: 1)])
    },
    filter("or of lists and words", #"or=(note.in.("x,y","null"),in_print.is.null)"#, [2, 3, 4]) {
      $0.or([.in("note", values: ["x,y", "null"]), .is("in_print", value: nil)])
    },
    filter("or of arrays and ranges", #"or=(tags.cs."{code}",pages.ov."[300,310]")"#, [3, 4]) {
      $0.or([.contains("tags", value: ["code"]), .overlaps("pages", value: 300...310)])
    },
    filter("or of searches", "or=(title.wfts(english).fat,title.like.N%)", [1, 4]) {
      $0.or([
        .textSearch("title", query: "fat", config: "english", type: .websearch), .like("title", pattern: "N%"),
      ])
    },
    filter("and inside or", "or=(and(price.gt.15,price.lt.25),in_print.is.null)", [2, 3]) {
      $0.or([.and([.gt("price", value: 15), .lt("price", value: 25)]), .is("in_print", value: nil)])
    },
    filter("not inside or", "or=(id.not.eq.1,not.and(id.gt.0,id.lt.9))", [2, 3, 4]) {
      $0.or([.not(.eq("id", value: 1)), .not(.and([.gt("id", value: 0), .lt("id", value: 9)]))])
    },
    filter("and", "and=(id.gt.1,id.lt.4)", [2, 3], { $0.and([.gt("id", value: 1), .lt("id", value: 4)]) }) {
      $0.and("id.gt.1,id.lt.4")
    },
    filter("raw", "id=eq(any).{1,2}", [1, 2], { $0.filter("id", operator: "eq(any)", value: "{1,2}") }),
  ].flatMap(\.self)
}
