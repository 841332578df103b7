-- AlterTable
ALTER TABLE "preview_cache" ADD COLUMN     "host_end" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "media" ADD COLUMN     "host_end" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "blacklist_hit" ADD COLUMN     "host" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "host_end" TEXT NOT NULL DEFAULT '';

-- No dot at the end of a host name, and its last two labels.
UPDATE "preview_cache" SET "host" = RTRIM("host", '.') WHERE "host" LIKE '%.';
UPDATE "preview_cache" SET "host_end" = SUBSTR("host", LENGTH(RTRIM(RTRIM(RTRIM("host", REPLACE("host", '.', '')), '.'), REPLACE(RTRIM(RTRIM("host", REPLACE("host", '.', '')), '.'), '.', ''))) + 1) WHERE "host" <> '';
UPDATE "media" SET "host" = RTRIM("host", '.') WHERE "host" LIKE '%.';
UPDATE "media" SET "host_end" = SUBSTR("host", LENGTH(RTRIM(RTRIM(RTRIM("host", REPLACE("host", '.', '')), '.'), REPLACE(RTRIM(RTRIM("host", REPLACE("host", '.', '')), '.'), '.', ''))) + 1) WHERE "host" <> '';

-- CreateIndex
CREATE INDEX "preview_cache_host_end_created_ts_id_idx" ON "preview_cache"("host_end", "created_ts", "id");

-- CreateIndex
CREATE INDEX "media_host_end_created_ts_media_id_idx" ON "media"("host_end", "created_ts", "media_id");

-- CreateIndex
CREATE INDEX "blacklist_hit_host_id_idx" ON "blacklist_hit"("host", "id");

-- CreateIndex
CREATE INDEX "blacklist_hit_host_end_id_idx" ON "blacklist_hit"("host_end", "id");
