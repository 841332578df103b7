-- DropIndex
DROP INDEX "key_event_ts_seq_idx";

-- DropIndex
DROP INDEX "key_event_alarm_ts_seq_idx";

-- CreateIndex
CREATE INDEX "remote_server_acknowledged_seq_server_name_idx" ON "remote_server"("acknowledged_seq", "server_name");

-- CreateIndex
CREATE INDEX "key_event_ts_seq_server_name_kind_idx" ON "key_event"("ts", "seq", "server_name", "kind");

-- CreateIndex
CREATE INDEX "key_event_alarm_server_name_seq_idx" ON "key_event"("alarm", "server_name", "seq");
