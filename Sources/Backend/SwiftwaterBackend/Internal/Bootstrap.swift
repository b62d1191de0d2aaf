/// What a database needs before the services can work in it. Every statement may run again.
enum Bootstrap {
  static let sql = """
    DO $$
    DECLARE
      wanted record;
    BEGIN
      -- Two backends that share a server prepare it one after the other.
      PERFORM pg_advisory_xact_lock(hashtext('swiftwater.bootstrap'));
      FOR wanted IN
        SELECT * FROM (VALUES
          ('anon', 'NOLOGIN NOINHERIT'),
          ('authenticated', 'NOLOGIN NOINHERIT'),
          ('service_role', 'NOLOGIN NOINHERIT BYPASSRLS'),
          ('authenticator', 'LOGIN NOINHERIT')
        ) AS roles (name, options)
      LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name) THEN
          EXECUTE format('CREATE ROLE %I %s', wanted.name, wanted.options);
        END IF;
      END LOOP;
      GRANT anon, authenticated, service_role TO authenticator;
      GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON ROUTINES TO anon, authenticated, service_role;
    END
    $$;
    """
}
