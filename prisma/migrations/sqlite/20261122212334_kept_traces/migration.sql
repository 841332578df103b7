-- CreateTable
CREATE TABLE "kept_trace" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "shared_ts" BIGINT,
    "expires_ts" BIGINT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "content" TEXT NOT NULL
);

-- CreateIndex
CREATE INDEX "kept_trace_expires_ts_idx" ON "kept_trace"("expires_ts");

-- CreateIndex
CREATE INDEX "blacklist_hit_request_id_id_idx" ON "blacklist_hit"("request_id", "id");

-- CreateIndex
CREATE INDEX "audit_event_request_id_id_idx" ON "audit_event"("request_id", "id");
