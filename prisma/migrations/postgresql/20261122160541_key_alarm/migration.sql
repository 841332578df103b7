-- AlterTable
ALTER TABLE "remote_server" ADD COLUMN     "alarm_seq" INTEGER;

-- CreateIndex
CREATE INDEX "remote_server_alarm_seq_server_name_idx" ON "remote_server"("alarm_seq", "server_name");

-- Every key that was ever replaced waits for somebody to acknowledge it.
UPDATE "remote_server" SET "alarm_seq" = (
    SELECT MIN("seq") FROM "key_event" e
    WHERE e."server_name" = "remote_server"."server_name" AND e."kind" = 'key_replaced');
