-- AlterTable
ALTER TABLE "key_event" ADD COLUMN     "alarm" BOOLEAN NOT NULL DEFAULT false;

-- Written by hand: what is there is marked once.
ALTER TABLE "key_event" DISABLE TRIGGER "key_event_no_change";

UPDATE "key_event" SET "alarm" = true
WHERE "kind" IN ('key_replaced', 'pin_contradicted', 'cross_check_differing');

ALTER TABLE "key_event" ENABLE TRIGGER "key_event_no_change";

-- CreateIndex
CREATE INDEX "key_event_alarm_ts_seq_idx" ON "key_event"("alarm", "ts", "seq");
