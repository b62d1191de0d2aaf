internal import SwiftwaterPostgres

/// What a database needs before the services can work in it: roles and grants, made where they are missing.
enum Bootstrap {
  private static let attempts = 5
  // Roles belong to the whole server, so another backend may be making the same ones for its own database right now:
  // unique_violation, duplicate_object, "tuple concurrently updated", deadlock_detected.
  private static let raceStates: Set<String> = ["23505", "42710", "XX000", "40P01"]

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

  private static let sql = """
    DO $$
    DECLARE
      wanted record;
    BEGIN
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
      GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON ROUTINES TO anon, authenticated, service_role;
      CREATE SCHEMA IF NOT EXISTS extensions;
      GRANT USAGE ON SCHEMA extensions TO anon, authenticated, service_role;
      -- What policies ask about the caller. A schema that is there already has its own answers.
      IF to_regnamespace('auth') IS NULL THEN
        CREATE SCHEMA auth;
        GRANT USAGE ON SCHEMA auth TO anon, authenticated, service_role;
        CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS
          $f$ SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb $f$;
        CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $f$ SELECT (auth.jwt() ->> 'sub')::uuid $f$;
        CREATE FUNCTION auth.role() RETURNS text LANGUAGE sql STABLE AS $f$ SELECT auth.jwt() ->> 'role' $f$;
        CREATE FUNCTION auth.email() RETURNS text LANGUAGE sql STABLE AS $f$ SELECT auth.jwt() ->> 'email' $f$;
      END IF;
    END
    $$;
    """
}
