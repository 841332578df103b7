-- AlterTable
ALTER TABLE "own_record" ADD COLUMN     "former_until_ts" BIGINT;

-- CreateIndex
CREATE INDEX "remote_server_last_error_reason_server_name_idx" ON "remote_server"("last_error_reason", "server_name");

-- CreateIndex
CREATE INDEX "key_event_ts_seq_idx" ON "key_event"("ts", "seq");

-- CreateIndex
CREATE INDEX "key_fetch_outcome_started_ts_reason_idx" ON "key_fetch"("outcome", "started_ts", "reason");
