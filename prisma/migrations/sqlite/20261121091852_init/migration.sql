-- CreateTable
CREATE TABLE "remote_server" (
    "server_name" TEXT NOT NULL PRIMARY KEY,
    "first_asked_ts" BIGINT NOT NULL,
    "last_fetch_ts" BIGINT,
    "last_ok_ts" BIGINT,
    "fail_count" INTEGER NOT NULL DEFAULT 0,
    "next_try_ts" BIGINT NOT NULL DEFAULT 0,
    "last_error_reason" TEXT,
    "last_error_message" TEXT,
    "throttle_tokens" REAL NOT NULL,
    "throttle_tokens_ts" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "key_record" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "server_name" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "published" BLOB NOT NULL,
    "valid_until_ts" BIGINT NOT NULL,
    "first_seen_ts" BIGINT NOT NULL,
    "last_seen_ts" BIGINT NOT NULL
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

    PRIMARY KEY ("server_name", "key_id"),
    CONSTRAINT "verify_key_record_id_fkey" FOREIGN KEY ("record_id") REFERENCES "key_record" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "key_event" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "ts" BIGINT NOT NULL,
    "server_name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "key_id" TEXT,
    "record_id" INTEGER,
    "detail" JSONB NOT NULL
);

-- CreateTable
CREATE TABLE "key_fetch" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "server_name" TEXT NOT NULL,
    "started_ts" BIGINT NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "message" TEXT,
    "cause" TEXT NOT NULL,
    "record_id" INTEGER,
    "steps" JSONB NOT NULL
);

-- CreateTable
CREATE TABLE "signing_key" (
    "key_id" TEXT NOT NULL PRIMARY KEY,
    "public_key" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "first_seen_ts" BIGINT NOT NULL,
    "retired_ts" BIGINT
);

-- CreateTable
CREATE TABLE "own_record" (
    "server_name" TEXT NOT NULL PRIMARY KEY,
    "published" BLOB NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "valid_until_ts" BIGINT NOT NULL,
    "key_set" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "access_token" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "token_sha256" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "expires_ts" BIGINT,
    "last_used_ts" BIGINT,
    "revoked_ts" BIGINT
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

-- Written by hand: the models do not know triggers.
CREATE TRIGGER "key_event_no_update" BEFORE UPDATE ON "key_event"
BEGIN
    SELECT RAISE(ABORT, 'key_event is append-only');
END;

CREATE TRIGGER "key_event_no_delete" BEFORE DELETE ON "key_event"
BEGIN
    SELECT RAISE(ABORT, 'key_event is append-only');
END;
