-- Written by hand: columns are added, and the table is not made anew.
ALTER TABLE "remote_server" ADD COLUMN "alarm_count" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "remote_server" ADD COLUMN "acknowledged_seq" INTEGER;

-- Written by hand: what is an alarm and not acknowledged is counted, and what was acknowledged is marked once.
UPDATE "remote_server" SET "alarm_count" = (
    SELECT COUNT(*) FROM "key_event" e
    WHERE e."server_name" = "remote_server"."server_name" AND e."alarm" = true AND e."seq" >= "remote_server"."alarm_seq")
WHERE "alarm_seq" IS NOT NULL;

UPDATE "remote_server" SET "acknowledged_seq" = (
    SELECT MAX(e."seq") FROM "key_event" e
    WHERE e."server_name" = "remote_server"."server_name" AND e."alarm" = true
        AND ("remote_server"."alarm_seq" IS NULL OR e."seq" < "remote_server"."alarm_seq"))
WHERE "server_name" IN (SELECT "server_name" FROM "key_event" WHERE "alarm" = true);
