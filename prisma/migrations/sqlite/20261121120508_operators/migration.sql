-- CreateTable
CREATE TABLE "job_run" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "job" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "actor" TEXT,
    "started_ts" BIGINT NOT NULL,
    "finished_ts" BIGINT,
    "duration_ms" INTEGER NOT NULL DEFAULT 0,
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
CREATE TABLE "job_pause" (
    "job" TEXT NOT NULL PRIMARY KEY,
    "paused_ts" BIGINT NOT NULL,
    "paused_by" TEXT NOT NULL,
    "reason" TEXT NOT NULL
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
CREATE TABLE "sign_in_code" (
    "code_sha256" TEXT NOT NULL PRIMARY KEY,
    "role" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "expires_ts" BIGINT NOT NULL,
    "used_ts" BIGINT
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
CREATE TABLE "instance" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "started_ts" BIGINT NOT NULL,
    "last_seen_ts" BIGINT NOT NULL,
    "version" TEXT NOT NULL,
    "runs_media_jobs" BOOLEAN NOT NULL
);

-- CreateTable
CREATE TABLE "metric_point" (
    "metric" TEXT NOT NULL,
    "resolution_ms" INTEGER NOT NULL,
    "ts" BIGINT NOT NULL,
    "instance" TEXT NOT NULL,
    "value" REAL NOT NULL,

    PRIMARY KEY ("metric", "resolution_ms", "ts", "instance")
);

-- CreateTable
CREATE TABLE "store_total" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" BIGINT NOT NULL,
    "measured_ts" BIGINT NOT NULL
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_remote_server" (
    "server_name" TEXT NOT NULL PRIMARY KEY,
    "first_asked_ts" BIGINT NOT NULL,
    "last_fetch_ts" BIGINT,
    "last_ok_ts" BIGINT,
    "fail_count" INTEGER NOT NULL DEFAULT 0,
    "next_try_ts" BIGINT NOT NULL DEFAULT 0,
    "last_error_reason" TEXT,
    "last_error_message" TEXT,
    "throttle_tokens" REAL NOT NULL,
    "throttle_tokens_ts" BIGINT NOT NULL,
    "added_ts" BIGINT,
    "valid_until_ts" BIGINT,
    "due_ts" BIGINT,
    "key_count" INTEGER NOT NULL DEFAULT 0
);
INSERT INTO "new_remote_server" ("fail_count", "first_asked_ts", "last_error_message", "last_error_reason", "last_fetch_ts", "last_ok_ts", "next_try_ts", "server_name", "throttle_tokens", "throttle_tokens_ts") SELECT "fail_count", "first_asked_ts", "last_error_message", "last_error_reason", "last_fetch_ts", "last_ok_ts", "next_try_ts", "server_name", "throttle_tokens", "throttle_tokens_ts" FROM "remote_server";
DROP TABLE "remote_server";
ALTER TABLE "new_remote_server" RENAME TO "remote_server";
CREATE INDEX "remote_server_next_try_ts_idx" ON "remote_server"("next_try_ts");
CREATE INDEX "remote_server_last_fetch_ts_server_name_idx" ON "remote_server"("last_fetch_ts", "server_name");
CREATE INDEX "remote_server_added_ts_server_name_idx" ON "remote_server"("added_ts", "server_name");
CREATE INDEX "remote_server_valid_until_ts_server_name_idx" ON "remote_server"("valid_until_ts", "server_name");
CREATE INDEX "remote_server_due_ts_server_name_idx" ON "remote_server"("due_ts", "server_name");
CREATE INDEX "remote_server_fail_count_server_name_idx" ON "remote_server"("fail_count", "server_name");
CREATE TABLE "new_access_token" (
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
INSERT INTO "new_access_token" ("created_ts", "expires_ts", "id", "label", "last_used_ts", "revoked_ts", "token_sha256", "user_id") SELECT "created_ts", "expires_ts", "id", "label", "last_used_ts", "revoked_ts", "token_sha256", "user_id" FROM "access_token";
DROP TABLE "access_token";
ALTER TABLE "new_access_token" RENAME TO "access_token";
CREATE UNIQUE INDEX "access_token_token_sha256_key" ON "access_token"("token_sha256");
CREATE INDEX "access_token_user_id_idx" ON "access_token"("user_id");
CREATE INDEX "access_token_created_ts_id_idx" ON "access_token"("created_ts", "id");
CREATE TABLE "new_preview_cache" (
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
    "url_key" TEXT NOT NULL DEFAULT '',
    "host" TEXT NOT NULL DEFAULT '',
    "title" TEXT,
    "image_media_id" TEXT,
    "is_empty" BOOLEAN NOT NULL DEFAULT false,
    "oembed_keys" TEXT
);
INSERT INTO "new_preview_cache" ("created_ts", "download_ts", "etag", "expires_ts", "id", "media_id", "open_graph", "response_code", "url", "url_sha256") SELECT "created_ts", "download_ts", "etag", "expires_ts", "id", "media_id", "open_graph", "response_code", "url", "url_sha256" FROM "preview_cache";
DROP TABLE "preview_cache";
ALTER TABLE "new_preview_cache" RENAME TO "preview_cache";
CREATE INDEX "preview_cache_url_sha256_download_ts_idx" ON "preview_cache"("url_sha256", "download_ts");
CREATE INDEX "preview_cache_expires_ts_id_idx" ON "preview_cache"("expires_ts", "id");
CREATE INDEX "preview_cache_media_id_idx" ON "preview_cache"("media_id");
CREATE INDEX "preview_cache_image_media_id_idx" ON "preview_cache"("image_media_id");
CREATE INDEX "preview_cache_created_ts_id_idx" ON "preview_cache"("created_ts", "id");
CREATE INDEX "preview_cache_url_key_id_idx" ON "preview_cache"("url_key", "id");
CREATE INDEX "preview_cache_response_code_id_idx" ON "preview_cache"("response_code", "id");
CREATE INDEX "preview_cache_host_created_ts_id_idx" ON "preview_cache"("host", "created_ts", "id");
CREATE TABLE "new_media" (
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
    "host" TEXT NOT NULL DEFAULT ''
);
INSERT INTO "new_media" ("content_type", "created_ts", "file_removed_ts", "height", "last_access_ts", "media_id", "sha256", "size_bytes", "sniffed_type", "upload_name", "url_cache", "user_id", "width") SELECT "content_type", "created_ts", "file_removed_ts", "height", "last_access_ts", "media_id", "sha256", "size_bytes", "sniffed_type", "upload_name", "url_cache", "user_id", "width" FROM "media";
DROP TABLE "media";
ALTER TABLE "new_media" RENAME TO "media";
CREATE INDEX "media_created_ts_media_id_idx" ON "media"("created_ts", "media_id");
CREATE INDEX "media_size_bytes_media_id_idx" ON "media"("size_bytes", "media_id");
CREATE INDEX "media_host_created_ts_media_id_idx" ON "media"("host", "created_ts", "media_id");
CREATE INDEX "media_user_id_created_ts_media_id_idx" ON "media"("user_id", "created_ts", "media_id");
CREATE INDEX "media_missing_since_ts_media_id_idx" ON "media"("missing_since_ts", "media_id");
CREATE TABLE "new_blacklist_hit" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "ts" BIGINT NOT NULL,
    "url" TEXT NOT NULL,
    "stage" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "address" TEXT,
    "user_id" TEXT,
    "request_id" TEXT NOT NULL DEFAULT ''
);
INSERT INTO "new_blacklist_hit" ("address", "id", "rule", "stage", "ts", "url", "user_id") SELECT "address", "id", "rule", "stage", "ts", "url", "user_id" FROM "blacklist_hit";
DROP TABLE "blacklist_hit";
ALTER TABLE "new_blacklist_hit" RENAME TO "blacklist_hit";
CREATE INDEX "blacklist_hit_ts_idx" ON "blacklist_hit"("ts");
CREATE INDEX "blacklist_hit_rule_id_idx" ON "blacklist_hit"("rule", "id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "job_run_job_id_idx" ON "job_run"("job", "id");

-- CreateIndex
CREATE INDEX "job_run_outcome_id_idx" ON "job_run"("outcome", "id");

-- CreateIndex
CREATE INDEX "job_run_started_ts_idx" ON "job_run"("started_ts");

-- CreateIndex
CREATE UNIQUE INDEX "admin_session_token_sha256_key" ON "admin_session"("token_sha256");

-- CreateIndex
CREATE INDEX "admin_session_expires_ts_idx" ON "admin_session"("expires_ts");

-- CreateIndex
CREATE INDEX "sign_in_code_expires_ts_idx" ON "sign_in_code"("expires_ts");

-- CreateIndex
CREATE INDEX "audit_event_ts_id_idx" ON "audit_event"("ts", "id");

-- CreateIndex
CREATE INDEX "audit_event_actor_id_idx" ON "audit_event"("actor", "id");

-- CreateIndex
CREATE INDEX "audit_event_action_id_idx" ON "audit_event"("action", "id");

-- CreateIndex
CREATE INDEX "metric_point_resolution_ms_ts_idx" ON "metric_point"("resolution_ms", "ts");

-- Written by hand: what the models do not say.
INSERT INTO "job_run" ("job", "cause", "started_ts", "duration_ms", "outcome", "counts", "bytes", "finished_ts", "message")
SELECT "job", "cause", "started_ts", "duration_ms", "outcome", "counts", "bytes", "started_ts" + "duration_ms", "error" FROM "cleanup_run" ORDER BY "id";

UPDATE "preview_cache" SET "url_key" = SUBSTR("url", 1, 200);

UPDATE "remote_server" SET
    "key_count" = (SELECT COUNT(*) FROM "verify_key" "k" WHERE "k"."server_name" = "remote_server"."server_name"),
    "added_ts" = (SELECT "r"."last_seen_ts" FROM "key_record" "r" WHERE "r"."server_name" = "remote_server"."server_name" ORDER BY "r"."last_seen_ts" DESC, "r"."id" DESC LIMIT 1),
    "valid_until_ts" = (SELECT "r"."valid_until_ts" FROM "key_record" "r" WHERE "r"."server_name" = "remote_server"."server_name" ORDER BY "r"."last_seen_ts" DESC, "r"."id" DESC LIMIT 1);
UPDATE "remote_server" SET "due_ts" = "added_ts" / 2 + "valid_until_ts" / 2 WHERE "added_ts" IS NOT NULL;

-- DropIndex
DROP INDEX "cleanup_run_job_id_idx";

-- DropIndex
DROP INDEX "cleanup_run_started_ts_idx";

-- DropTable
PRAGMA foreign_keys=off;
DROP TABLE "cleanup_run";
PRAGMA foreign_keys=on;

CREATE TRIGGER "audit_event_no_update" BEFORE UPDATE ON "audit_event"
BEGIN
    SELECT RAISE(ABORT, 'audit_event is append-only');
END;

CREATE TRIGGER "audit_event_no_delete" BEFORE DELETE ON "audit_event"
BEGIN
    SELECT RAISE(ABORT, 'audit_event is append-only');
END;
