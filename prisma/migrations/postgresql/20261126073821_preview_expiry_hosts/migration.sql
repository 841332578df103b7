-- DropIndex
DROP INDEX "preview_cache_expires_ts_id_idx";

-- CreateIndex
CREATE INDEX "preview_cache_expires_ts_id_host_host_end_idx" ON "preview_cache"("expires_ts", "id", "host", "host_end");
