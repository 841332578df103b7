-- CreateTable
CREATE TABLE "remote_server" (
    "server_name" TEXT NOT NULL,
    "first_asked_ts" BIGINT NOT NULL,
    "last_fetch_ts" BIGINT,
    "last_ok_ts" BIGINT,
    "fail_count" INTEGER NOT NULL DEFAULT 0,
    "next_try_ts" BIGINT NOT NULL DEFAULT 0,
    "last_error_reason" TEXT,
    "last_error_message" TEXT,
    "throttle_tokens" DOUBLE PRECISION NOT NULL,
    "throttle_tokens_ts" BIGINT NOT NULL,

    CONSTRAINT "remote_server_pkey" PRIMARY KEY ("server_name")
);

-- CreateTable
CREATE TABLE "key_record" (
    "id" SERIAL NOT NULL,
    "server_name" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "published" BYTEA NOT NULL,
    "valid_until_ts" BIGINT NOT NULL,
    "first_seen_ts" BIGINT NOT NULL,
    "last_seen_ts" BIGINT NOT NULL,

    CONSTRAINT "key_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verify_key" (
    "server_name" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "record_id" INTEGER NOT NULL,
    "public_key" TEXT NOT NULL,
    "expired_ts" BIGINT,
    "first_seen_ts" BIGINT NOT NULL,
    "last_seen_ts" BIGINT NOT NULL,

    CONSTRAINT "verify_key_pkey" PRIMARY KEY ("server_name","key_id")
);

-- CreateTable
CREATE TABLE "key_event" (
    "seq" SERIAL NOT NULL,
    "ts" BIGINT NOT NULL,
    "server_name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "key_id" TEXT,
    "record_id" INTEGER,
    "detail" JSONB NOT NULL,

    CONSTRAINT "key_event_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "key_fetch" (
    "id" SERIAL NOT NULL,
    "server_name" TEXT NOT NULL,
    "started_ts" BIGINT NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "message" TEXT,
    "cause" TEXT NOT NULL,
    "record_id" INTEGER,
    "steps" JSONB NOT NULL,

    CONSTRAINT "key_fetch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "key_id" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "first_seen_ts" BIGINT NOT NULL,
    "retired_ts" BIGINT,

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("key_id")
);

-- CreateTable
CREATE TABLE "own_record" (
    "server_name" TEXT NOT NULL,
    "published" BYTEA NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "valid_until_ts" BIGINT NOT NULL,
    "key_set" TEXT NOT NULL,

    CONSTRAINT "own_record_pkey" PRIMARY KEY ("server_name")
);

-- CreateTable
CREATE TABLE "access_token" (
    "id" TEXT NOT NULL,
    "token_sha256" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "expires_ts" BIGINT,
    "last_used_ts" BIGINT,
    "revoked_ts" BIGINT,

    CONSTRAINT "access_token_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "remote_server_next_try_ts_idx" ON "remote_server"("next_try_ts");

-- CreateIndex
CREATE INDEX "remote_server_last_fetch_ts_idx" ON "remote_server"("last_fetch_ts");

-- CreateIndex
CREATE INDEX "key_record_valid_until_ts_idx" ON "key_record"("valid_until_ts");

-- CreateIndex
CREATE INDEX "key_record_last_seen_ts_idx" ON "key_record"("last_seen_ts");

-- CreateIndex
CREATE UNIQUE INDEX "key_record_server_name_sha256_key" ON "key_record"("server_name", "sha256");

-- CreateIndex
CREATE INDEX "verify_key_record_id_idx" ON "verify_key"("record_id");

-- CreateIndex
CREATE INDEX "key_event_server_name_seq_idx" ON "key_event"("server_name", "seq");

-- CreateIndex
CREATE INDEX "key_event_kind_seq_idx" ON "key_event"("kind", "seq");

-- CreateIndex
CREATE INDEX "key_fetch_server_name_id_idx" ON "key_fetch"("server_name", "id");

-- CreateIndex
CREATE INDEX "key_fetch_started_ts_idx" ON "key_fetch"("started_ts");

-- CreateIndex
CREATE UNIQUE INDEX "access_token_token_sha256_key" ON "access_token"("token_sha256");

-- CreateIndex
CREATE INDEX "access_token_user_id_idx" ON "access_token"("user_id");

-- AddForeignKey
ALTER TABLE "verify_key" ADD CONSTRAINT "verify_key_record_id_fkey" FOREIGN KEY ("record_id") REFERENCES "key_record"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand: the models do not know triggers.
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END;
$$;

CREATE TRIGGER "key_event_no_change" BEFORE UPDATE OR DELETE ON "key_event"
    FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "key_event_no_truncate" BEFORE TRUNCATE ON "key_event"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
