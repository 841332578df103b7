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
    "download_ts" BIGINT NOT NULL
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
    "file_removed_ts" BIGINT
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
    "user_id" TEXT
);

-- CreateTable
CREATE TABLE "cleanup_run" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "job" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "started_ts" BIGINT NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "counts" JSONB NOT NULL,
    "bytes" BIGINT NOT NULL,
    "outcome" TEXT NOT NULL,
    "error" TEXT
);

-- CreateTable
CREATE TABLE "job_lease" (
    "job" TEXT NOT NULL PRIMARY KEY,
    "holder" TEXT NOT NULL,
    "expires_ts" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "preview_cache_url_sha256_download_ts_idx" ON "preview_cache"("url_sha256", "download_ts");

-- CreateIndex
CREATE INDEX "preview_cache_expires_ts_id_idx" ON "preview_cache"("expires_ts", "id");

-- CreateIndex
CREATE INDEX "preview_cache_media_id_idx" ON "preview_cache"("media_id");

-- CreateIndex
CREATE INDEX "preview_cache_created_ts_idx" ON "preview_cache"("created_ts");

-- CreateIndex
CREATE INDEX "media_created_ts_media_id_idx" ON "media"("created_ts", "media_id");

-- CreateIndex
CREATE INDEX "blacklist_hit_ts_idx" ON "blacklist_hit"("ts");

-- CreateIndex
CREATE INDEX "cleanup_run_job_id_idx" ON "cleanup_run"("job", "id");

-- CreateIndex
CREATE INDEX "cleanup_run_started_ts_idx" ON "cleanup_run"("started_ts");
