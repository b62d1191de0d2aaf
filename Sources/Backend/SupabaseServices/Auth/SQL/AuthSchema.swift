/// The schema `auth` with the tables, columns, types and indexes of a Supabase project, so that users' triggers, foreign
/// keys and policies on them work. Each part is made where it is missing; what is there already stays.
package enum AuthSchema {
  /// One statement, for whoever owns the database and has the extension pgcrypto there.
  package static let sql = """
    DO $$
    DECLARE
      wanted record;
    BEGIN
      -- Backends that prepare the same database wait for each other.
      PERFORM pg_advisory_xact_lock(hashtext('swiftwater bootstrap'));
      CREATE SCHEMA IF NOT EXISTS auth;
      -- Whom migrations grant what they write for Auth.
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'supabase_auth_admin') THEN
        CREATE ROLE supabase_auth_admin NOLOGIN NOINHERIT;
      END IF;
      GRANT USAGE ON SCHEMA auth TO supabase_auth_admin;

      FOR wanted IN
        SELECT * FROM (VALUES
          ('aal_level', ARRAY['aal1', 'aal2', 'aal3']),
          ('code_challenge_method', ARRAY['s256', 'plain']),
          ('factor_status', ARRAY['unverified', 'verified']),
          ('factor_type', ARRAY['totp', 'webauthn', 'phone']),
          ('one_time_token_type', ARRAY[
            'confirmation_token', 'reauthentication_token', 'recovery_token', 'email_change_token_new',
            'email_change_token_current', 'phone_change_token'])
        ) AS types (name, labels)
      LOOP
        IF to_regtype(format('auth.%I', wanted.name)) IS NULL THEN
          EXECUTE format('CREATE TYPE auth.%I AS ENUM (%s)', wanted.name,
            (SELECT string_agg(quote_literal(label), ', ') FROM unnest(wanted.labels) label));
        END IF;
      END LOOP;

      CREATE TABLE IF NOT EXISTS auth.schema_migrations (version varchar(255) PRIMARY KEY);
      CREATE TABLE IF NOT EXISTS auth.instances (
        id uuid PRIMARY KEY, uuid uuid, raw_base_config text, created_at timestamptz, updated_at timestamptz);

      -- A project may have made a small table of that name for itself, so the columns are added one by one.
      CREATE TABLE IF NOT EXISTS auth.users (id uuid PRIMARY KEY);
      FOR wanted IN
        SELECT * FROM (VALUES
          ('instance_id', 'uuid'), ('aud', 'varchar(255)'), ('role', 'varchar(255)'), ('email', 'varchar(255)'),
          ('encrypted_password', 'varchar(255)'), ('email_confirmed_at', 'timestamptz'), ('invited_at', 'timestamptz'),
          ('confirmation_token', 'varchar(255)'), ('confirmation_sent_at', 'timestamptz'),
          ('recovery_token', 'varchar(255)'), ('recovery_sent_at', 'timestamptz'),
          ('email_change_token_new', 'varchar(255)'), ('email_change', 'varchar(255)'),
          ('email_change_sent_at', 'timestamptz'), ('last_sign_in_at', 'timestamptz'), ('raw_app_meta_data', 'jsonb'),
          ('raw_user_meta_data', 'jsonb'), ('is_super_admin', 'bool'), ('created_at', 'timestamptz'),
          ('updated_at', 'timestamptz'), ('phone', 'text UNIQUE DEFAULT NULL'), ('phone_confirmed_at', 'timestamptz'),
          ('phone_change', 'text DEFAULT '''''), ('phone_change_token', 'varchar(255) DEFAULT '''''),
          ('phone_change_sent_at', 'timestamptz'),
          ('confirmed_at',
            'timestamptz GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED'),
          ('email_change_token_current', 'varchar(255) DEFAULT '''''),
          ('email_change_confirm_status',
            'smallint DEFAULT 0 CHECK (email_change_confirm_status >= 0 AND email_change_confirm_status <= 2)'),
          ('banned_until', 'timestamptz'), ('reauthentication_token', 'varchar(255) DEFAULT '''''),
          ('reauthentication_sent_at', 'timestamptz'), ('is_sso_user', 'bool NOT NULL DEFAULT false'),
          ('deleted_at', 'timestamptz'), ('is_anonymous', 'bool NOT NULL DEFAULT false')
        ) AS columns (name, type)
      LOOP
        IF NOT EXISTS (
          SELECT FROM pg_attribute
          WHERE attrelid = 'auth.users'::regclass AND attname = wanted.name AND NOT attisdropped)
        THEN
          EXECUTE format('ALTER TABLE auth.users ADD COLUMN %I %s', wanted.name, wanted.type);
        END IF;
      END LOOP;
      CREATE UNIQUE INDEX IF NOT EXISTS users_email_partial_key ON auth.users (email) WHERE is_sso_user = false;
      CREATE INDEX IF NOT EXISTS users_instance_id_idx ON auth.users (instance_id);
      CREATE INDEX IF NOT EXISTS users_instance_id_email_idx ON auth.users (instance_id, lower(email::text));
      CREATE INDEX IF NOT EXISTS users_is_anonymous_idx ON auth.users (is_anonymous);
      FOR wanted IN
        SELECT * FROM (VALUES
          ('confirmation_token_idx', 'confirmation_token'), ('recovery_token_idx', 'recovery_token'),
          ('email_change_token_current_idx', 'email_change_token_current'),
          ('email_change_token_new_idx', 'email_change_token_new'),
          ('reauthentication_token_idx', 'reauthentication_token')
        ) AS indexes (name, column_name)
      LOOP
        EXECUTE format('CREATE UNIQUE INDEX IF NOT EXISTS %I ON auth.users (%I) WHERE %I::text !~ ''^[0-9 ]*$''',
          wanted.name, wanted.column_name, wanted.column_name);
      END LOOP;

      CREATE TABLE IF NOT EXISTS auth.identities (
        provider_id text NOT NULL,
        user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
        identity_data jsonb NOT NULL,
        provider text NOT NULL,
        last_sign_in_at timestamptz,
        created_at timestamptz,
        updated_at timestamptz,
        email text GENERATED ALWAYS AS (lower(identity_data ->> 'email')) STORED,
        id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
        CONSTRAINT identities_provider_id_provider_unique UNIQUE (provider_id, provider));
      CREATE INDEX IF NOT EXISTS identities_user_id_idx ON auth.identities (user_id);
      CREATE INDEX IF NOT EXISTS identities_email_idx ON auth.identities (email text_pattern_ops);

      CREATE TABLE IF NOT EXISTS auth.sessions (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
        created_at timestamptz,
        updated_at timestamptz,
        factor_id uuid,
        aal auth.aal_level,
        not_after timestamptz,
        refreshed_at timestamp,
        user_agent text,
        ip inet,
        tag text);
      CREATE INDEX IF NOT EXISTS sessions_user_id_idx ON auth.sessions (user_id);
      CREATE INDEX IF NOT EXISTS sessions_not_after_idx ON auth.sessions (not_after DESC);
      CREATE INDEX IF NOT EXISTS user_id_created_at_idx ON auth.sessions (user_id, created_at);

      CREATE TABLE IF NOT EXISTS auth.refresh_tokens (
        instance_id uuid,
        id bigserial PRIMARY KEY,
        token varchar(255) CONSTRAINT refresh_tokens_token_unique UNIQUE,
        user_id varchar(255),
        revoked bool,
        created_at timestamptz,
        updated_at timestamptz,
        parent varchar(255),
        session_id uuid REFERENCES auth.sessions ON DELETE CASCADE);
      CREATE INDEX IF NOT EXISTS refresh_tokens_instance_id_idx ON auth.refresh_tokens (instance_id);
      CREATE INDEX IF NOT EXISTS refresh_tokens_instance_id_user_id_idx ON auth.refresh_tokens (instance_id, user_id);
      CREATE INDEX IF NOT EXISTS refresh_tokens_parent_idx ON auth.refresh_tokens (parent);
      CREATE INDEX IF NOT EXISTS refresh_tokens_session_id_revoked_idx ON auth.refresh_tokens (session_id, revoked);
      CREATE INDEX IF NOT EXISTS refresh_tokens_updated_at_idx ON auth.refresh_tokens (updated_at DESC);

      CREATE TABLE IF NOT EXISTS auth.mfa_factors (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
        friendly_name text,
        factor_type auth.factor_type NOT NULL,
        status auth.factor_status NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        secret text,
        phone text,
        last_challenged_at timestamptz UNIQUE,
        web_authn_credential jsonb,
        web_authn_aaguid uuid);
      CREATE UNIQUE INDEX IF NOT EXISTS mfa_factors_user_friendly_name_unique
        ON auth.mfa_factors (friendly_name, user_id) WHERE trim(friendly_name) <> '';
      CREATE UNIQUE INDEX IF NOT EXISTS unique_phone_factor_per_user ON auth.mfa_factors (user_id, phone);
      CREATE INDEX IF NOT EXISTS factor_id_created_at_idx ON auth.mfa_factors (user_id, created_at);
      CREATE INDEX IF NOT EXISTS mfa_factors_user_id_idx ON auth.mfa_factors (user_id);

      CREATE TABLE IF NOT EXISTS auth.mfa_challenges (
        id uuid PRIMARY KEY,
        factor_id uuid NOT NULL CONSTRAINT mfa_challenges_auth_factor_id_fkey REFERENCES auth.mfa_factors ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        verified_at timestamptz,
        ip_address inet NOT NULL,
        otp_code text,
        web_authn_session_data jsonb);
      CREATE INDEX IF NOT EXISTS mfa_challenge_created_at_idx ON auth.mfa_challenges (created_at DESC);

      CREATE TABLE IF NOT EXISTS auth.mfa_amr_claims (
        session_id uuid NOT NULL REFERENCES auth.sessions ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        authentication_method text NOT NULL,
        id uuid CONSTRAINT amr_id_pk PRIMARY KEY,
        CONSTRAINT mfa_amr_claims_session_id_authentication_method_pkey UNIQUE (session_id, authentication_method));

      CREATE TABLE IF NOT EXISTS auth.one_time_tokens (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
        token_type auth.one_time_token_type NOT NULL,
        token_hash text NOT NULL CHECK (char_length(token_hash) > 0),
        relates_to text NOT NULL,
        created_at timestamp NOT NULL DEFAULT now(),
        updated_at timestamp NOT NULL DEFAULT now());
      CREATE UNIQUE INDEX IF NOT EXISTS one_time_tokens_user_id_token_type_key
        ON auth.one_time_tokens (user_id, token_type);
      CREATE INDEX IF NOT EXISTS one_time_tokens_token_hash_hash_idx ON auth.one_time_tokens USING hash (token_hash);
      CREATE INDEX IF NOT EXISTS one_time_tokens_relates_to_hash_idx ON auth.one_time_tokens USING hash (relates_to);

      CREATE TABLE IF NOT EXISTS auth.flow_state (
        id uuid PRIMARY KEY,
        user_id uuid,
        auth_code text,
        code_challenge_method auth.code_challenge_method,
        code_challenge text,
        provider_type text NOT NULL,
        provider_access_token text,
        provider_refresh_token text,
        created_at timestamptz,
        updated_at timestamptz,
        authentication_method text NOT NULL,
        auth_code_issued_at timestamptz,
        invite_token text,
        referrer text,
        oauth_client_state_id uuid,
        linking_target_id uuid,
        email_optional bool NOT NULL DEFAULT false);
      CREATE INDEX IF NOT EXISTS idx_auth_code ON auth.flow_state (auth_code);
      CREATE INDEX IF NOT EXISTS idx_user_id_auth_method ON auth.flow_state (user_id, authentication_method);
      CREATE INDEX IF NOT EXISTS flow_state_created_at_idx ON auth.flow_state (created_at DESC);

      CREATE TABLE IF NOT EXISTS auth.audit_log_entries (
        instance_id uuid,
        id uuid PRIMARY KEY,
        payload json,
        created_at timestamptz,
        ip_address varchar(64) NOT NULL DEFAULT '');
      CREATE INDEX IF NOT EXISTS audit_logs_instance_id_idx ON auth.audit_log_entries (instance_id);

      -- Only the tables' owner reads them; policies of a project may open them to its roles.
      FOR wanted IN
        SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'auth'::regnamespace AND NOT relrowsecurity AND relkind = 'r' AND relname IN (
          'users', 'identities', 'sessions', 'refresh_tokens', 'mfa_factors', 'mfa_challenges', 'mfa_amr_claims',
          'one_time_tokens', 'flow_state', 'audit_log_entries', 'schema_migrations', 'instances')
      LOOP
        EXECUTE format('ALTER TABLE auth.%I ENABLE ROW LEVEL SECURITY', wanted.name);
      END LOOP;
      INSERT INTO auth.schema_migrations (version) VALUES ('20171026211738'), ('20171026211808'), ('20171026211834'),
        ('20180103212743'), ('20180108183307'), ('20180119214651'), ('20180125194653'), ('00'), ('20210710035447'),
        ('20210722035447'), ('20210730183235'), ('20210909172000'), ('20210927181326'), ('20211122151130'),
        ('20211124214934'), ('20211202183645'), ('20220114185221'), ('20220114185340'), ('20220224000811'),
        ('20220323170000'), ('20220429102000'), ('20220531120530'), ('20220614074223'), ('20220811173540'),
        ('20221003041349'), ('20221003041400'), ('20221011041400'), ('20221020193600'), ('20221125140132'),
        ('20221208132122'), ('20221215195500'), ('20221215195800'), ('20230116124310'), ('20230116124351'),
        ('20230131181311'), ('20230322519590'), ('20230402418590'), ('20230411005111'), ('20230508135423'),
        ('20231117164230'), ('20240214120130'), ('20240427152123'), ('20240612123726'), ('20240729123726'),
        ('20240806073726')
      ON CONFLICT DO NOTHING;
    END
    $$
    """
}
