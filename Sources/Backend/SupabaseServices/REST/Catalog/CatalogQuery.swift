internal import SwiftwaterPostgres

/// The questions whose answers make a `Catalog`. They want an empty search path, so that types come with their schemas.
enum CatalogQuery {
  /// Everything but the views' definitions, as one JSON object in the shape of `CatalogContents`.
  static func contents(schemas: [String]) -> PostgresStatement {
    PostgresStatement(contents, [.text(SQLBuilder.arrayLiteral(schemas))], isPrepared: false)
  }

  /// A value that differs when something that the catalog tells of has changed.
  static let fingerprint = PostgresStatement(
    """
    SELECT concat_ws(' ',
      (SELECT bit_xor(hash_record_extended((oid, xmin), 0)) FROM pg_catalog.pg_class
        WHERE relkind IN ('r', 'v', 'm', 'f', 'p')),
      (SELECT bit_xor(hash_record_extended((attrelid, attnum, xmin), 0)) FROM pg_catalog.pg_attribute WHERE attnum > 0),
      (SELECT bit_xor(hash_record_extended((oid, xmin), 0)) FROM pg_catalog.pg_proc),
      (SELECT bit_xor(hash_record_extended((oid, xmin), 0)) FROM pg_catalog.pg_constraint))
    """)

  /// What the database says of the service's configuration, by names without their prefix.
  static let settings: PostgresStatement = """
    SELECT substr(split_part(s, '=', 1), 7), substr(s, strpos(s, '=') + 1)
    FROM pg_catalog.pg_db_role_setting d CROSS JOIN unnest(d.setconfig) s
    WHERE d.setrole = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)
      AND d.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
      AND s LIKE 'pgrst.%'
    ORDER BY d.setdatabase
    """

  static let emptySearchPath: PostgresStatement = "SELECT set_config('search_path', '', true)"

  /// Each view: its identity, its columns' names by position as a JSON array, and its definition as a node tree.
  static let views = PostgresStatement(
    """
    SELECT c.oid, n.nspname, c.relname,
      (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0),
      r.ev_action
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_rewrite r ON r.ev_class = c.oid AND r.ev_type = '1'
    WHERE c.relkind IN ('v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    """, isPrepared: false)

  private static let contents = """
    SELECT json_build_object(
      'relations', \(rows(relations)),
      'foreignKeys', \(rows(foreignKeys)),
      'computedRelationships', \(rows(computedRelationships)),
      'keys', \(rows(keys)),
      'routines', \(rows(routines)),
      'mediaHandlers', \(rows(mediaHandlers)),
      'representations', \(rows(representations)),
      'computedColumns', \(rows(computedColumns)),
      'domains', \(rows(domains)),
      'roleSettings', \(rows(roleSettings)),
      'leftovers', (SELECT coalesce(json_agg(kind), '[]') FROM (\(leftovers)) answer))
    """

  private static func rows(_ query: String) -> String {
    "(SELECT coalesce(json_agg(answer), '[]') FROM (\(query)) answer)"
  }

  private static let relations = """
    SELECT n.nspname AS schema, c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
      c.relkind IN ('v', 'm') AS "isView",
      c.relkind IN ('r', 'p') OR pg_relation_is_updatable(c.oid, true) & 8 = 8 AS "isInsertable",
      c.relkind IN ('r', 'p') OR pg_relation_is_updatable(c.oid, true) & 4 = 4 AS "isUpdatable",
      c.relkind IN ('r', 'p') OR pg_relation_is_updatable(c.oid, true) & 16 = 16 AS "isDeletable",
      coalesce((
        SELECT json_agg(a.attname ORDER BY k.position) FROM pg_constraint p
        CROSS JOIN unnest(p.conkey) WITH ORDINALITY k (number, position)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
        WHERE p.conrelid = c.oid AND p.contype = 'p'), '[]') AS "primaryKey",
      coalesce((
        SELECT json_agg(json_build_object(
          'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
          'defaultValue', CASE
            WHEN t.typbasetype <> 0 AND t.typdefaultbin IS NOT NULL AND d.adbin IS NULL
              THEN pg_get_expr(t.typdefaultbin, 0)
            WHEN a.attidentity = 'd' THEN (
              SELECT format('nextval(%L)', s.oid::regclass) FROM pg_depend e JOIN pg_class s ON s.oid = e.objid
              WHERE e.refobjid = a.attrelid AND e.refobjsubid = a.attnum AND e.deptype = 'i' AND s.relkind = 'S')
            WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END,
          'isNullable', NOT (a.attnotnull OR t.typtype = 'd' AND t.typnotnull),
          'maximumLength', CASE
            WHEN a.atttypid IN ('varchar'::regtype, 'bpchar'::regtype) AND a.atttypmod > 4 THEN a.atttypmod - 4 END,
          'comment', col_description(c.oid, a.attnum),
          'labels', (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e
            WHERE e.enumtypid = CASE WHEN t.typbasetype <> 0 THEN t.typbasetype ELSE t.oid END)) ORDER BY a.attnum)
        FROM pg_attribute a
        JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '[]') AS columns,
      \(signature) AS signature
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition AND n.nspname = ANY($1)
    """

  /// Of the relation `c`: which one it is, and its columns' names and types.
  private static let signature = """
    c.oid || ' ' || (SELECT coalesce(bit_xor(hash_record_extended((s.attname, s.atttypid, s.atttypmod), 0)), 0)
    FROM pg_catalog.pg_attribute s WHERE s.attrelid = c.oid AND s.attnum > 0 AND NOT s.attisdropped)
    """

  /// A statement that fails unless the relation is still what the catalog says.
  ///
  /// A statement that was made or prepared for other types need not fail by itself: it rounds a number or cuts a
  /// timestamp to the day. Run this behind it: by then the transaction's lock keeps the relation as it is.
  static func check(of relation: Relation) -> PostgresStatement {
    PostgresStatement(check, [.text(SQLBuilder.quoted(relation.qualifiedName)), .text(relation.signature)])
  }

  private static let check =
    "SELECT 1 / count(*) FROM (SELECT to_regclass($1)::oid AS oid) c WHERE \(signature) = $2"

  private static let foreignKeys = """
    SELECT k.oid::bigint AS id, n.nspname AS schema, c.relname AS table, fn.nspname AS "foreignSchema",
      fc.relname AS "foreignTable", k.conname AS constraint,
      (SELECT json_agg(json_build_object('column', a.attname, 'foreignColumn', f.attname) ORDER BY p.position)
        FROM unnest(k.conkey, k.confkey) WITH ORDINALITY p (number, "foreign", position)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.number
        JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = p."foreign") AS pairs,
      EXISTS (SELECT FROM pg_constraint u WHERE u.conrelid = k.conrelid AND u.contype IN ('p', 'u')
        AND u.conkey @> k.conkey AND u.conkey <@ k.conkey) AS "isUnique"
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_class fc ON fc.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
    WHERE k.contype = 'f' AND k.conparentid = 0
    ORDER BY k.conrelid, k.conname
    """

  private static let computedRelationships = """
    SELECT n.nspname AS schema, p.proname AS name, an.nspname AS "relationSchema", ac.relname AS "relationName",
      rn.nspname AS "foreignSchema", rc.relname AS "foreignName", NOT p.proretset OR p.prorows = 1 AS "isToOne"
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    JOIN pg_class ac ON ac.reltype = p.proargtypes[0] JOIN pg_namespace an ON an.oid = ac.relnamespace
    JOIN pg_class rc ON rc.reltype = p.prorettype JOIN pg_namespace rn ON rn.oid = rc.relnamespace
    WHERE p.pronargs = 1 AND ac.relkind IN ('r', 'v', 'm', 'f', 'p') AND rc.relkind IN ('r', 'v', 'm', 'f', 'p')
    """

  private static let keys = """
    SELECT k.oid::bigint AS id, k.role, k.relation::bigint AS table, n.nspname AS schema, c.relname AS name,
      p.number AS column, a.attname AS "columnName"
    FROM (
      SELECT oid, contype::text AS role, conrelid AS relation, conkey AS numbers FROM pg_constraint
      WHERE contype IN ('p', 'f') AND conrelid <> 0
      UNION ALL SELECT oid, 'r', confrelid, confkey FROM pg_constraint WHERE contype = 'f'
    ) k
    JOIN pg_class c ON c.oid = k.relation JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN unnest(k.numbers) WITH ORDINALITY p (number, position)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.number
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY k.oid, k.role, p.position
    """

  private static let routines = """
    SELECT p.oid::bigint AS id, n.nspname AS schema, p.proname AS name, obj_description(p.oid, 'pg_proc') AS comment,
      a.parameters, tn.nspname AS "resultSchema", coalesce(tc.relname, t.typname) AS "resultName",
      p.proretset AS "returnsSet",
      t.typtype = 'c' OR coalesce(p.proargmodes::text[] && '{t,b,o}', false) AS "returnsComposite",
      p.provolatile AS volatility,
      (SELECT lower(substr(s, strpos(s, '=') + 1)) FROM unnest(p.proconfig) s
        WHERE s LIKE 'default\\_transaction\\_isolation=%') AS "isolationLevel",
      coalesce((
        SELECT json_agg(json_build_object('name', split_part(s, '=', 1), 'value', substr(s, strpos(s, '=') + 1)))
        FROM unnest(p.proconfig) s
        WHERE split_part(s, '=', 1) IN ('statement_timeout', 'plan_filter.statement_cost_limit')), '[]') AS settings
    FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace
    CROSS JOIN LATERAL (
      WITH RECURSIVE base AS (
        SELECT p.prorettype AS oid UNION ALL
        SELECT b.typbasetype FROM base JOIN pg_type b ON b.oid = base.oid WHERE b.typbasetype <> 0
      ) SELECT b.oid FROM base b JOIN pg_type y ON y.oid = b.oid WHERE y.typbasetype = 0) base
    JOIN pg_type t ON t.oid = base.oid
    JOIN pg_namespace tn ON tn.oid = t.typnamespace
    LEFT JOIN pg_class tc ON tc.oid = t.typrelid
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object(
          'name', coalesce(i.name, ''), 'type', i.type::regtype::text,
          'isRequired', i.position <= p.pronargs - p.pronargdefaults,
          'isVariadic', p.provariadic <> 0 AND i.position = p.pronargs) ORDER BY i.position), '[]') AS parameters,
        count(*) FILTER (WHERE coalesce(i.name, '') = '') AS unnamed, count(*) AS total, min(i.type) AS first
      FROM (SELECT x.type, x.position, (
          -- Names stand for all arguments, types only for those that come in.
          SELECT m.name FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY m (name, mode, place)
          WHERE coalesce(m.mode, 'i') IN ('i', 'b', 'v') ORDER BY m.place OFFSET x.position - 1 LIMIT 1) AS name
        FROM unnest(p.proargtypes) WITH ORDINALITY x (type, position)) i) a
    WHERE n.nspname = ANY($1) AND p.prokind = 'f' AND p.prorettype <> 'trigger'::regtype
      AND (a.unnamed = 0 OR a.unnamed = 1 AND a.total = 1
        AND a.first IN ('bytea'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype))
    """

  // The name of a domain is the media type that its values are.
  private static let mediaHandlers = """
    WITH media AS (
      SELECT t.oid, lower(t.typname) AS name, n.nspname AS schema, t.typname AS type,
        CASE t.typname WHEN '*/*' THEN 'application/octet-stream' ELSE t.typname END AS answer,
        t.typbasetype = 'bytea'::regtype AS binary
      FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
      WHERE t.typbasetype <> 0 AND (t.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' OR t.typname = '*/*'))
    SELECT n.nspname AS schema, p.proname AS name, an.nspname AS "targetSchema", a.typname AS "targetName",
      media.name AS "mediaType", media.answer AS "answerType", media.binary AS "isBinary"
    FROM media
    JOIN pg_proc p ON p.prorettype = media.oid AND p.prokind = 'a' AND p.pronargs = 1
    JOIN pg_namespace n ON n.oid = p.pronamespace
    JOIN pg_type a ON a.oid = p.proargtypes[0] JOIN pg_namespace an ON an.oid = a.typnamespace
    WHERE n.nspname = ANY($1) AND (a.oid = 'anyelement'::regtype OR a.typrelid <> 0)
    UNION
    SELECT media.schema, media.type, n.nspname, p.proname, media.name, media.answer, media.binary
    FROM media
    JOIN pg_proc p ON p.prorettype = media.oid AND p.prokind = 'f' AND NOT p.proretset
    JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = ANY($1)
    """

  private static let representations = """
    SELECT c.castsource::regtype::text AS source, c.casttarget::regtype::text AS target,
      c.castfunc::regproc::text AS function
    FROM pg_cast c JOIN pg_type s ON s.oid = c.castsource JOIN pg_type t ON t.oid = c.casttarget
    WHERE c.castcontext = 'i' AND c.castmethod = 'f' AND has_function_privilege(c.castfunc, 'execute')
      AND (s.typtype = 'd' AND c.casttarget IN ('json'::regtype, 'text'::regtype)
        OR t.typtype = 'd' AND c.castsource IN ('json'::regtype, 'text'::regtype))
    """

  private static let computedColumns = """
    SELECT n.nspname AS schema, c.relname AS relation, p.proname AS name, p.prorettype::regtype::text AS type
    FROM pg_proc p
    JOIN pg_class c ON c.reltype = p.proargtypes[0] JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE p.pronargs = 1 AND NOT p.proretset AND n.nspname = ANY($1)
    """

  private static let domains = """
    SELECT oid::regtype::text AS name, format_type(typbasetype, typtypmod) AS base FROM pg_type WHERE typtype = 'd'
    """

  // What functions of the database may leave on a connection, by their texts.
  private static let leftovers = """
    SELECT DISTINCT k.kind
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
    CROSS JOIN (VALUES \(Leftover.allCases.map(\.sqlValues).joined(separator: ", "))) k (kind, pattern)
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND l.lanname NOT IN ('internal', 'c')
      AND coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~* k.pattern
      AND NOT EXISTS (SELECT FROM pg_depend d
        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    """

  // What `ALTER ROLE … SET` says holds for a login; requests take their role on without one.
  private static let roleSettings = """
    SELECT r.rolname AS role, split_part(s, '=', 1) AS name, substr(s, strpos(s, '=') + 1) AS value
    FROM pg_db_role_setting d JOIN pg_roles r ON r.oid = d.setrole CROSS JOIN unnest(d.setconfig) s
    WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
      AND pg_has_role(current_user, r.oid, 'MEMBER')
      AND EXISTS (SELECT FROM pg_settings g WHERE g.name = split_part(s, '=', 1) AND g.context = 'user')
    """
}
