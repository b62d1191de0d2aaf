internal import SupabaseServices
internal import SwiftwaterPostgres

/// What a database needs before the services can work in it, as a Supabase project has it: roles, grants, schemas,
/// extensions. Each is made where it is missing.
enum Bootstrap {
  private static let attempts = 5
  // Roles belong to the whole server, so another backend may be making the same ones for its own database right now:
  // unique_violation, duplicate_object, "tuple concurrently updated", deadlock_detected.
  private static let raceStates: Set<String> = ["23505", "42710", "42P06", "42723", "XX000", "40P01"]

  static func prepare(_ pool: PostgresPool) async throws {
    for _ in 1..<attempts {
      do {
        return try await pool.executeScript(sql)
      } catch let error as PostgresError where raceStates.contains(error.sqlState ?? "") {
        continue
      }
    }
    try await pool.executeScript(sql)
  }

  /// Everything, as one script.
  static let sql = foundation + ";\n" + AuthSchema.sql

  private static let foundation = """
    DO $$
    DECLARE
      wanted record;
    BEGIN
      -- Backends that prepare the same database wait for each other.
      PERFORM pg_advisory_xact_lock(hashtext('swiftwater bootstrap'));
      FOR wanted IN
        SELECT * FROM (VALUES
          ('authenticator', 'LOGIN NOINHERIT'),
          ('anon', 'NOLOGIN NOINHERIT'),
          ('authenticated', 'NOLOGIN NOINHERIT'),
          ('service_role', 'NOLOGIN NOINHERIT BYPASSRLS')
        ) AS roles (name, options)
      LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name) THEN
          EXECUTE format('CREATE ROLE %I %s', wanted.name, wanted.options);
        END IF;
        IF NOT pg_has_role('authenticator', wanted.name, 'MEMBER') THEN
          EXECUTE format('GRANT %I TO authenticator', wanted.name);
        END IF;
      END LOOP;

      CREATE SCHEMA IF NOT EXISTS public;
      GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON ROUTINES TO anon, authenticated, service_role;

      CREATE SCHEMA IF NOT EXISTS extensions;
      GRANT USAGE ON SCHEMA extensions TO anon, authenticated, service_role;
      FOR wanted IN
        SELECT name FROM pg_available_extensions
        WHERE name IN ('pgcrypto', 'uuid-ossp') AND installed_version IS NULL
      LOOP
        EXECUTE format('CREATE EXTENSION %I SCHEMA extensions', wanted.name);
      END LOOP;
      -- So that migrations call these functions by their bare names.
      IF NOT EXISTS (
        SELECT FROM pg_db_role_setting s, unnest(s.setconfig) setting
        WHERE s.setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
          AND s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND setting LIKE 'search_path=%')
      THEN
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path TO "$user", public, extensions',
          current_user, current_database());
      END IF;

      -- What policies ask about the caller. A function that is there already has its own answer.
      CREATE SCHEMA IF NOT EXISTS auth;
      GRANT USAGE ON SCHEMA auth TO anon, authenticated, service_role;
      IF to_regprocedure('auth.jwt()') IS NULL THEN
        CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS
          $f$ SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb $f$;
      END IF;
      FOR wanted IN
        SELECT * FROM (VALUES ('uid', 'sub', 'uuid'), ('role', 'role', 'text'), ('email', 'email', 'text'))
          AS functions (name, claim, type)
      LOOP
        IF to_regprocedure(format('auth.%I()', wanted.name)) IS NULL THEN
          -- The setting of a single claim is what tests of policies set by hand.
          EXECUTE format(
            'CREATE FUNCTION auth.%I() RETURNS %s LANGUAGE sql STABLE AS '
            '$f$ SELECT coalesce(nullif(current_setting(%L, true), %L), auth.jwt() ->> %L)::%s $f$',
            wanted.name, wanted.type, 'request.jwt.claim.' || wanted.claim, '', wanted.claim, wanted.type);
        END IF;
      END LOOP;

      -- Tells the services of new tables. Who may not make event triggers says `NOTIFY pgrst` after changes instead.
      BEGIN
        CREATE OR REPLACE FUNCTION extensions.pgrst_ddl_watch() RETURNS event_trigger LANGUAGE plpgsql AS $f$
        BEGIN
          IF EXISTS (
            SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name IS NULL OR schema_name NOT LIKE 'pg_temp%')
          THEN
            NOTIFY pgrst, 'reload schema';
          END IF;
        END $f$;
        CREATE OR REPLACE FUNCTION extensions.pgrst_drop_watch() RETURNS event_trigger LANGUAGE plpgsql AS $f$
        BEGIN
          IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE NOT is_temporary) THEN
            NOTIFY pgrst, 'reload schema';
          END IF;
        END $f$;
        IF NOT EXISTS (SELECT FROM pg_event_trigger WHERE evtname = 'pgrst_ddl_watch') THEN
          CREATE EVENT TRIGGER pgrst_ddl_watch ON ddl_command_end EXECUTE FUNCTION extensions.pgrst_ddl_watch();
        END IF;
        IF NOT EXISTS (SELECT FROM pg_event_trigger WHERE evtname = 'pgrst_drop_watch') THEN
          CREATE EVENT TRIGGER pgrst_drop_watch ON sql_drop EXECUTE FUNCTION extensions.pgrst_drop_watch();
        END IF;
      EXCEPTION WHEN insufficient_privilege THEN NULL;
      END;

      IF NOT EXISTS (SELECT FROM pg_publication WHERE pubname = 'supabase_realtime') THEN
        CREATE PUBLICATION supabase_realtime;
      END IF;
    END
    $$
    """
}
