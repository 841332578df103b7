-- Written by hand: a table made anew would lose its triggers.
ALTER TABLE "key_event" ADD COLUMN "alarm" BOOLEAN NOT NULL DEFAULT false;

DROP TRIGGER "key_event_no_update";

UPDATE "key_event" SET "alarm" = true
WHERE "kind" IN ('key_replaced', 'pin_contradicted', 'cross_check_differing');

CREATE TRIGGER "key_event_no_update" BEFORE UPDATE ON "key_event"
BEGIN
    SELECT RAISE(ABORT, 'key_event is append-only');
END;

-- CreateIndex
CREATE INDEX "key_event_alarm_ts_seq_idx" ON "key_event"("alarm", "ts", "seq");
