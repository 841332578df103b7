-- What is older than 30 days may go; how much longer it stays is the setting admin.audit_retention.
DROP TRIGGER "audit_event_no_delete";

CREATE TRIGGER "audit_event_no_delete" BEFORE DELETE ON "audit_event"
WHEN OLD."ts" > (CAST(strftime('%s', 'now') AS INTEGER) - 2592000) * 1000
BEGIN
    SELECT RAISE(ABORT, 'audit_event is append-only');
END;
