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
    "added_ts" BIGINT,
    "valid_until_ts" BIGINT,
    "due_ts" BIGINT,
    "key_count" INTEGER NOT NULL DEFAULT 0,
    "alarm_seq" INTEGER,
    "alarm_count" INTEGER NOT NULL DEFAULT 0
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
CREATE TABLE "newest_record" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "server_name" TEXT NOT NULL,
    "record_id" INTEGER,
    "from_ts" BIGINT NOT NULL
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
    "detail" JSONB NOT NULL,
    "alarm" BOOLEAN NOT NULL DEFAULT false
);

-- CreateTable
CREATE TABLE "alarm_acknowledgement" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "server_name" TEXT NOT NULL,
    "from_seq" INTEGER NOT NULL,
    "through_seq" INTEGER NOT NULL,
    "ts" BIGINT NOT NULL,
    "actor" TEXT NOT NULL,
    "reason" TEXT NOT NULL
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
CREATE TABLE "domain_usage" (
    "domain" TEXT NOT NULL PRIMARY KEY,
    "servers" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "log_queue" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "record_sha256" BLOB NOT NULL,
    "entry" BLOB NOT NULL,
    "queued_ts" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "log_entry" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "record_sha256" BLOB NOT NULL,
    "entry" BLOB NOT NULL
);

-- CreateTable
CREATE TABLE "log_tile" (
    "level" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "hashes" BLOB NOT NULL,

    PRIMARY KEY ("level", "n")
);

-- CreateTable
CREATE TABLE "log_state" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "verifier_key" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "signed_ts" BIGINT NOT NULL,
    "checked_id" INTEGER NOT NULL DEFAULT 0,
    "witnessed" TEXT,
    "witnessed_size" INTEGER NOT NULL DEFAULT 0,
    "cosignatures" JSONB
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
    "key_set" TEXT NOT NULL,
    "former_until_ts" BIGINT
);

-- CreateTable
CREATE TABLE "access_token" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "token_sha256" TEXT NOT NULL,
    "user_id" TEXT,
    "label" TEXT NOT NULL,
    "scopes" TEXT NOT NULL DEFAULT 'preview',
    "hint" TEXT NOT NULL DEFAULT '',
    "created_by" TEXT NOT NULL DEFAULT 'cli',
    "created_ts" BIGINT NOT NULL,
    "expires_ts" BIGINT,
    "last_used_ts" BIGINT,
    "revoked_ts" BIGINT
);

-- CreateTable
CREATE TABLE "preview_cache" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "url" TEXT NOT NULL,
    "url_sha256" TEXT NOT NULL,
    "response_code" INTEGER NOT NULL,
    "etag" TEXT,
    "expires_ts" BIGINT NOT NULL,
    "open_graph" TEXT NOT NULL,
    "media_id" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "download_ts" BIGINT NOT NULL,
    "host" TEXT NOT NULL DEFAULT '',
    "host_end" TEXT NOT NULL DEFAULT '',
    "title" TEXT,
    "image_media_id" TEXT,
    "is_empty" BOOLEAN NOT NULL DEFAULT false,
    "oembed_keys" TEXT,
    "is_incomplete" BOOLEAN
);

-- CreateTable
CREATE TABLE "media" (
    "media_id" TEXT NOT NULL PRIMARY KEY,
    "user_id" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "content_type" TEXT NOT NULL,
    "sniffed_type" TEXT,
    "size_bytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "upload_name" TEXT,
    "url_cache" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "last_access_ts" BIGINT,
    "file_removed_ts" BIGINT,
    "missing_since_ts" BIGINT,
    "host" TEXT NOT NULL DEFAULT '',
    "host_end" TEXT NOT NULL DEFAULT ''
);

-- CreateTable
CREATE TABLE "media_thumbnail" (
    "media_id" TEXT NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "method" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "animated" BOOLEAN NOT NULL DEFAULT false,

    PRIMARY KEY ("media_id", "width", "height", "method", "animated"),
    CONSTRAINT "media_thumbnail_media_id_fkey" FOREIGN KEY ("media_id") REFERENCES "media" ("media_id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "blacklist_hit" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "ts" BIGINT NOT NULL,
    "url" TEXT NOT NULL,
    "stage" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "address" TEXT,
    "user_id" TEXT,
    "request_id" TEXT NOT NULL DEFAULT '',
    "host" TEXT NOT NULL DEFAULT '',
    "host_end" TEXT NOT NULL DEFAULT ''
);

-- CreateTable
CREATE TABLE "job_run" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "job" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "actor" TEXT,
    "started_ts" BIGINT NOT NULL,
    "finished_ts" BIGINT,
    "outcome" TEXT NOT NULL,
    "progress" REAL,
    "counts" JSONB NOT NULL,
    "bytes" BIGINT NOT NULL,
    "message" TEXT,
    "instance" TEXT NOT NULL DEFAULT '',
    "heartbeat_ts" BIGINT,
    "cancel_ts" BIGINT
);

-- CreateTable
CREATE TABLE "job" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "holder" TEXT NOT NULL DEFAULT '',
    "lease_ts" BIGINT NOT NULL DEFAULT 0,
    "paused_ts" BIGINT,
    "paused_by" TEXT,
    "pause_reason" TEXT
);

-- CreateTable
CREATE TABLE "admin_session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "token_sha256" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "last_seen_ts" BIGINT NOT NULL,
    "expires_ts" BIGINT NOT NULL,
    "address" TEXT,
    "user_agent" TEXT,
    "access_token_id" TEXT
);

-- CreateTable
CREATE TABLE "audit_event" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "ts" BIGINT NOT NULL,
    "actor" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target_type" TEXT,
    "target_id" TEXT,
    "summary" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "address" TEXT,
    "request_id" TEXT NOT NULL,
    "detail" JSONB
);

-- CreateTable
CREATE TABLE "block_rule" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "pattern" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "metric_point" (
    "metric" TEXT NOT NULL,
    "ts" BIGINT NOT NULL,
    "instance" TEXT NOT NULL,
    "value" REAL NOT NULL,

    PRIMARY KEY ("metric", "ts", "instance")
);

-- CreateTable
CREATE TABLE "state_value" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" JSONB NOT NULL,
    "ts" BIGINT NOT NULL DEFAULT 0
);

-- CreateIndex
CREATE INDEX "remote_server_last_fetch_ts_server_name_idx" ON "remote_server"("last_fetch_ts", "server_name");

-- CreateIndex
CREATE INDEX "remote_server_added_ts_server_name_idx" ON "remote_server"("added_ts", "server_name");

-- CreateIndex
CREATE INDEX "remote_server_valid_until_ts_server_name_idx" ON "remote_server"("valid_until_ts", "server_name");

-- CreateIndex
CREATE INDEX "remote_server_fail_count_server_name_idx" ON "remote_server"("fail_count", "server_name");

-- CreateIndex
CREATE INDEX "remote_server_alarm_seq_server_name_idx" ON "remote_server"("alarm_seq", "server_name");

-- CreateIndex
CREATE INDEX "key_record_last_seen_ts_idx" ON "key_record"("last_seen_ts");

-- CreateIndex
CREATE UNIQUE INDEX "key_record_server_name_sha256_key" ON "key_record"("server_name", "sha256");

-- CreateIndex
CREATE INDEX "newest_record_server_name_from_ts_id_idx" ON "newest_record"("server_name", "from_ts", "id");

-- CreateIndex
CREATE INDEX "verify_key_record_id_idx" ON "verify_key"("record_id");

-- CreateIndex
CREATE INDEX "key_event_server_name_seq_idx" ON "key_event"("server_name", "seq");

-- CreateIndex
CREATE INDEX "key_event_kind_seq_idx" ON "key_event"("kind", "seq");

-- CreateIndex
CREATE INDEX "key_event_ts_seq_server_name_kind_idx" ON "key_event"("ts", "seq", "server_name", "kind");

-- CreateIndex
CREATE INDEX "key_event_alarm_server_name_seq_idx" ON "key_event"("alarm", "server_name", "seq");

-- CreateIndex
CREATE INDEX "alarm_acknowledgement_server_name_through_seq_idx" ON "alarm_acknowledgement"("server_name", "through_seq");

-- CreateIndex
CREATE INDEX "key_fetch_server_name_id_idx" ON "key_fetch"("server_name", "id");

-- CreateIndex
CREATE INDEX "key_fetch_started_ts_idx" ON "key_fetch"("started_ts");

-- CreateIndex
CREATE INDEX "key_fetch_outcome_started_ts_reason_idx" ON "key_fetch"("outcome", "started_ts", "reason");

-- CreateIndex
CREATE INDEX "log_entry_record_sha256_idx" ON "log_entry"("record_sha256");

-- CreateIndex
CREATE UNIQUE INDEX "access_token_token_sha256_key" ON "access_token"("token_sha256");

-- CreateIndex
CREATE INDEX "access_token_created_ts_id_idx" ON "access_token"("created_ts", "id");

-- CreateIndex
CREATE INDEX "preview_cache_url_sha256_download_ts_idx" ON "preview_cache"("url_sha256", "download_ts");

-- CreateIndex
CREATE INDEX "preview_cache_expires_ts_id_host_host_end_idx" ON "preview_cache"("expires_ts", "id", "host", "host_end");

-- CreateIndex
CREATE INDEX "preview_cache_media_id_idx" ON "preview_cache"("media_id");

-- CreateIndex
CREATE INDEX "preview_cache_image_media_id_idx" ON "preview_cache"("image_media_id");

-- CreateIndex
CREATE INDEX "preview_cache_created_ts_id_idx" ON "preview_cache"("created_ts", "id");

-- CreateIndex
CREATE INDEX "preview_cache_host_created_ts_id_idx" ON "preview_cache"("host", "created_ts", "id");

-- CreateIndex
CREATE INDEX "preview_cache_host_end_created_ts_id_idx" ON "preview_cache"("host_end", "created_ts", "id");

-- CreateIndex
CREATE INDEX "media_created_ts_media_id_idx" ON "media"("created_ts", "media_id");

-- CreateIndex
CREATE INDEX "media_size_bytes_media_id_idx" ON "media"("size_bytes", "media_id");

-- CreateIndex
CREATE INDEX "media_host_created_ts_media_id_idx" ON "media"("host", "created_ts", "media_id");

-- CreateIndex
CREATE INDEX "media_host_end_created_ts_media_id_idx" ON "media"("host_end", "created_ts", "media_id");

-- CreateIndex
CREATE INDEX "media_user_id_created_ts_media_id_idx" ON "media"("user_id", "created_ts", "media_id");

-- CreateIndex
CREATE INDEX "media_missing_since_ts_media_id_idx" ON "media"("missing_since_ts", "media_id");

-- CreateIndex
CREATE INDEX "blacklist_hit_ts_idx" ON "blacklist_hit"("ts");

-- CreateIndex
CREATE INDEX "blacklist_hit_rule_id_idx" ON "blacklist_hit"("rule", "id");

-- CreateIndex
CREATE INDEX "blacklist_hit_host_id_idx" ON "blacklist_hit"("host", "id");

-- CreateIndex
CREATE INDEX "blacklist_hit_host_end_id_idx" ON "blacklist_hit"("host_end", "id");

-- CreateIndex
CREATE INDEX "job_run_job_id_idx" ON "job_run"("job", "id");

-- CreateIndex
CREATE INDEX "job_run_outcome_id_idx" ON "job_run"("outcome", "id");

-- CreateIndex
CREATE INDEX "job_run_started_ts_idx" ON "job_run"("started_ts");

-- CreateIndex
CREATE UNIQUE INDEX "admin_session_token_sha256_key" ON "admin_session"("token_sha256");

-- CreateIndex
CREATE INDEX "audit_event_ts_id_idx" ON "audit_event"("ts", "id");

-- CreateIndex
CREATE INDEX "audit_event_actor_id_idx" ON "audit_event"("actor", "id");

-- CreateIndex
CREATE INDEX "audit_event_action_id_idx" ON "audit_event"("action", "id");

-- CreateIndex
CREATE INDEX "metric_point_ts_idx" ON "metric_point"("ts");

-- Append-only tables: Prisma's models cannot declare triggers.

CREATE TRIGGER "key_event_no_update" BEFORE UPDATE ON "key_event"
BEGIN SELECT RAISE(ABORT, 'key_event is append-only'); END;

CREATE TRIGGER "key_event_no_delete" BEFORE DELETE ON "key_event"
BEGIN SELECT RAISE(ABORT, 'key_event is append-only'); END;

CREATE TRIGGER "log_entry_no_update" BEFORE UPDATE ON "log_entry"
BEGIN SELECT RAISE(ABORT, 'log_entry is append-only'); END;

CREATE TRIGGER "log_entry_no_delete" BEFORE DELETE ON "log_entry"
BEGIN SELECT RAISE(ABORT, 'log_entry is append-only'); END;

CREATE TRIGGER "audit_event_no_update" BEFORE UPDATE ON "audit_event"
BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END;

-- Rows older than 30 days may be deleted; `admin.audit_retention` says when they are.
CREATE TRIGGER "audit_event_no_delete" BEFORE DELETE ON "audit_event"
WHEN OLD."ts" > (CAST(strftime('%s', 'now') AS INTEGER) - 2592000) * 1000
BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END;
