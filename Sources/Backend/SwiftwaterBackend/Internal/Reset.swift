internal import SwiftwaterPostgres

/// Empties a database of everything that was made in it, and gives it an empty schema `public` again.
enum Reset {
  /// In one transaction with what the services need, so that a running backend sees one or the other.
  static func run(on pool: PostgresPool) async throws {
    try await pool.executeScript(sql + ";\n" + Bootstrap.sql)
  }

  private static let sql = """
    DO $$
    DECLARE
      doomed text;
    BEGIN
      -- First what could object to the rest.
      FOR doomed IN
        SELECT format('EVENT TRIGGER %I', evtname) FROM pg_event_trigger
        WHERE oid NOT IN (SELECT objid FROM pg_depend WHERE classid = 'pg_event_trigger'::regclass AND deptype = 'e')
        UNION ALL SELECT format('PUBLICATION %I', pubname) FROM pg_publication
      LOOP
        EXECUTE 'DROP ' || doomed;
      END LOOP;
      FOR doomed IN SELECT extname FROM pg_extension WHERE extname <> 'plpgsql' LOOP
        EXECUTE format('DROP EXTENSION IF EXISTS %I CASCADE', doomed);
      END LOOP;
      FOR doomed IN
        SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
      LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', doomed);
      END LOOP;
      FOR doomed IN SELECT fdwname FROM pg_foreign_data_wrapper LOOP
        EXECUTE format('DROP FOREIGN DATA WRAPPER %I CASCADE', doomed);
      END LOOP;
      PERFORM lo_unlink(oid) FROM pg_largeobject_metadata;
      CREATE SCHEMA public AUTHORIZATION pg_database_owner;
      COMMENT ON SCHEMA public IS 'standard public schema';
      GRANT USAGE ON SCHEMA public TO PUBLIC;
    END
    $$
    """
}
