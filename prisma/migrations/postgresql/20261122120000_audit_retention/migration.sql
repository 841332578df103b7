-- What is older than 30 days may go; how much longer it stays is the setting admin.audit_retention.
DROP TRIGGER "audit_event_no_change" ON "audit_event";

CREATE TRIGGER "audit_event_no_change" BEFORE UPDATE ON "audit_event"
    FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "audit_event_no_delete" BEFORE DELETE ON "audit_event"
    FOR EACH ROW WHEN (OLD."ts" > (EXTRACT(EPOCH FROM now()) - 2592000) * 1000)
    EXECUTE FUNCTION "refuse_change"();
