# Drives a backend with the Python client of PostgREST, along the examples of its documentation.
#
#   run-postgrest.py URL KEY
#
# The database is that of PythonClientTests. Prints a line for each example that went wrong, "done" at the end.
import sys

from postgrest import APIError, CountMethod, ReturnMethod, SyncPostgrestClient

url, key = sys.argv[1:]
client = SyncPostgrestClient(url, headers={"apikey": key, "Authorization": f"Bearer {key}"})


def table(name="countries"):
    return client.from_(name)


def ids(response):
    return [row["id"] for row in response.data]


def error(call):
    try:
        call()
    except APIError as error:
        return error.code
    return None


def check(name, found, expected):
    if found != expected:
        print(f"{name}: {found!r} and not {expected!r}")


def reading():
    first = {"id": 1, "name": "Algeria", "continent": "Africa", "tags": ["sand", "sea"], "about": None, "span": "[1,5)"}
    check("select", table().select("*").order("id").execute().data[0], first)
    check("columns", table().select("name").eq("id", 2).execute().data, [{"name": "Brazil"}])
    nested = table().select("name, cities(name)").eq("id", 1).execute().data
    check("embedding", nested, [{"name": "Algeria", "cities": [{"name": "Algiers"}, {"name": "Oran"}]}])
    inner = table("cities").select("name, countries!inner(name)").eq("countries.name", "Brazil").execute().data
    check("inner", inner, [{"name": "Natal", "countries": {"name": "Brazil"}}])
    path = table("users").select("id, address->>street").execute().data
    check("JSON", path, [{"id": 1, "street": "Melrose Place"}])
    counted = table().select("*", count=CountMethod.exact).limit(1).execute()
    check("count", (counted.count, len(counted.data)), (4, 1))
    check("head", table().select("*", count=CountMethod.exact, head=True).execute().count, 4)
    check("planned", table().select("*", count=CountMethod.planned).execute().count is None, False)
    private = SyncPostgrestClient(url, schema="nowhere", headers={"apikey": key})
    # The only schema is served whatever a client calls it, as PostgREST does.
    check("schema", len(private.from_("countries").select("*").execute().data), 4)


def filtering():
    def found(change):
        return ids(change(table().select("id").order("id")).execute())

    check("eq", found(lambda q: q.eq("name", "Algeria")), [1])
    check("neq", found(lambda q: q.neq("name", "Algeria")), [2, 3, 4])
    check("gt", found(lambda q: q.gt("id", 2)), [3, 4])
    check("gte", found(lambda q: q.gte("id", 2)), [2, 3, 4])
    check("lt", found(lambda q: q.lt("id", 2)), [1])
    check("lte", found(lambda q: q.lte("id", 2)), [1, 2])
    check("like", found(lambda q: q.like("name", "%a%")), [1, 2, 3])
    check("ilike", found(lambda q: q.ilike("name", "a%")), [1])
    check("like_all_of", found(lambda q: q.like_all_of("name", "%a%,%z%")), [2])
    check("like_any_of", found(lambda q: q.like_any_of("name", "A%,B%")), [1, 2])
    check("ilike_all_of", found(lambda q: q.ilike_all_of("name", "%A%,%Z%")), [2])
    check("ilike_any_of", found(lambda q: q.ilike_any_of("name", "a%,b%")), [1, 2])
    check("is_", found(lambda q: q.is_("about", "null")), [1, 2, 4])
    check("is_ None", found(lambda q: q.is_("about", None)), [1, 2, 4])
    check("in_", found(lambda q: q.in_("name", ["Algeria", "Chad, the lake", 'Q"u\\ote'])), [1, 3, 4])
    check("contains", found(lambda q: q.contains("tags", ["sea"])), [1, 2])
    check("contained_by", found(lambda q: q.contained_by("tags", ["sand", "sea"])), [1])
    check("overlaps", found(lambda q: q.overlaps("tags", ["sand", "wood"])), [1, 2])
    check("range_gt", found(lambda q: q.range_gt("span", (1, 5))), [2])
    check("range_lt", found(lambda q: q.range_lt("span", (7, 9))), [1])
    check("range_gte", found(lambda q: q.range_gte("span", (5, 9))), [2])
    check("range_lte", found(lambda q: q.range_lte("span", (1, 5))), [1])
    check("range_adjacent", found(lambda q: q.range_adjacent("span", (4, 8))), [1, 2])
    check("match", found(lambda q: q.match({"id": 2, "name": "Brazil"})), [2])
    check("not_", found(lambda q: q.not_.eq("name", "Algeria")), [2, 3, 4])
    check("not_.is_", found(lambda q: q.not_.is_("about", "null")), [3])
    check("or_", found(lambda q: q.or_("id.eq.2,name.eq.Algeria")), [1, 2])
    check("or_ and and", found(lambda q: q.or_("id.gt.3,and(id.eq.1,name.eq.Algeria)")), [1, 4])
    check("filter", found(lambda q: q.filter("name", "in", '("Algeria","Brazil")')), [1, 2])
    nested = table().select("id, cities!inner(name)").or_("name.eq.Natal,name.eq.Oran", reference_table="cities")
    check("or_ of a reference", ids(nested.order("id").execute()), [1, 2])
    search = table("quotes").select("catchphrase").text_search("catchphrase", "'fat' & 'cat'", {"config": "english"})
    check("text_search", search.execute().data, [{"catchphrase": "The fat cats sat"}])
    search = table("quotes").select("catchphrase").text_search(
        "catchphrase", "fat or dog", {"type": "web_search", "config": "english"})
    check("text_search of the web", len(search.execute().data), 2)


def modifying():
    check("order", ids(table().select("id").order("name", desc=True).execute()), [4, 3, 2, 1])
    check("nulls first", ids(table().select("id").order("about", nullsfirst=True).order("id").execute())[0], 1)
    embedded = table().select("name, cities(name)").order("name", desc=True, foreign_table="cities").eq("id", 1)
    check("order of a reference", [city["name"] for city in embedded.execute().data[0]["cities"]], ["Oran", "Algiers"])
    check("limit", ids(table().select("id").order("id").limit(2).execute()), [1, 2])
    limited = table().select("id, cities(name)").limit(1, foreign_table="cities").order("id").execute().data
    check("limit of a reference", len(limited[0]["cities"]), 1)
    check("range", ids(table().select("id").order("id").range(1, 2).execute()), [2, 3])
    check("offset", ids(table().select("id").order("id").offset(3).execute()), [4])
    check("single", table().select("name").eq("id", 1).single().execute().data, {"name": "Algeria"})
    check("single of many", error(lambda: table().select("name").single().execute()), "PGRST116")
    check("maybe_single", table().select("name").eq("id", 1).maybe_single().execute().data, {"name": "Algeria"})
    check("maybe_single of none", table().select("name").eq("id", 99).maybe_single().execute(), None)
    check("csv", table().select("id,name").lt("id", 3).order("id").csv().execute().data, "id,name\n1,Algeria\n2,Brazil")
    stripped = table().select("id,about").eq("id", 1).strip_nulls().execute().data
    check("strip_nulls", stripped, [{"id": 1}])
    # Plans are for administrators: the backend has them switched off, as PostgREST has.
    check("explain", error(lambda: table().select("*").explain(analyze=True).execute()), "PGRST107")


def writing():
    def places():
        return table("places")

    check("insert", places().insert({"id": 1, "name": "Denmark"}).execute().data, [{"id": 1, "name": "Denmark"}])
    several = [{"id": 2, "name": "Nepal"}, {"id": 3, "name": "Oman"}]
    check("insert of many", ids(places().insert(several).execute()), [2, 3])
    check("insert of nothing", places().insert([]).execute().data, [])
    quiet = places().insert({"id": 4, "name": "Peru"}, returning=ReturnMethod.minimal).execute()
    check("insert without an answer", quiet.data, [])
    check("conflict", error(lambda: places().insert({"id": 1, "name": "x"}).execute()), "23505")
    check("defaults", places().insert([{"id": 5}], default_to_null=False).execute().data[0]["name"], "unnamed")
    changed = places().upsert({"id": 1, "name": "Dänemark"}).execute().data
    check("upsert", changed, [{"id": 1, "name": "Dänemark"}])
    ignored = places().upsert({"id": 1, "name": "x"}, ignore_duplicates=True).execute().data
    check("upsert that leaves", ignored, [])
    by_name = places().upsert({"id": 2, "name": "Nepal"}, on_conflict="name", count=CountMethod.exact).execute()
    check("upsert by another key", (by_name.data, by_name.count), ([{"id": 2, "name": "Nepal"}], 1))
    check("update", places().update({"name": "Om,an"}).eq("id", 3).execute().data, [{"id": 3, "name": "Om,an"}])
    check("update of none", places().update({"name": "x"}).eq("id", 99).execute().data, [])
    check("at most", error(lambda: places().update({"id": 9}).gt("id", 0).max_affected(1).execute()), "23505")
    check("at most one", error(lambda: places().delete().gt("id", 0).max_affected(1).execute()), "PGRST124")
    check("delete", places().delete().eq("id", 3).execute().data, [{"id": 3, "name": "Om,an"}])
    check("delete of many", ids(places().delete().in_("id", [4, 5]).execute()), [4, 5])
    check("what is left", ids(places().select("id").order("id").execute()), [1, 2])
    check("unknown", error(lambda: table("placez").select("*").execute()), "PGRST205")


def calling():
    check("rpc", client.rpc("hello_world", {}).execute().data, "Hello world")
    check("rpc with arguments", client.rpc("echo", {"say": "hi, \"you\""}).execute().data, "hi, \"you\"")
    check("rpc that reads", client.rpc("echo", {"say": "hi"}, get=True).execute().data, "hi")
    listed = client.rpc("add_one_each", {"arr": [1, 2, 3]}).execute().data
    check("rpc with a list", listed, [2, 3, 4])
    rows = client.rpc("list_countries", {}).eq("id", 1).single().execute().data
    check("rpc with a filter", rows["name"], "Algeria")
    check("rpc, counted", client.rpc("list_countries", {}, count=CountMethod.exact).execute().count, 4)
    check("rpc, head", client.rpc("list_countries", {}, head=True, count=CountMethod.exact).execute().count, 4)
    check("unknown rpc", error(lambda: client.rpc("nothing", {}).execute()), "PGRST202")


for part in [reading, filtering, modifying, writing, calling]:
    try:
        part()
    except Exception as failure:
        print(f"{part.__name__}: {failure!r}")
print("done")
