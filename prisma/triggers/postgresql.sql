-- Append-only tables: Prisma's models cannot declare triggers.
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END;
$$;

CREATE TRIGGER "key_event_no_change" BEFORE UPDATE OR DELETE ON "key_event"
    FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "key_event_no_truncate" BEFORE TRUNCATE ON "key_event"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "log_entry_no_change" BEFORE UPDATE OR DELETE ON "log_entry"
    FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "log_entry_no_truncate" BEFORE TRUNCATE ON "log_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "audit_event_no_change" BEFORE UPDATE ON "audit_event"
    FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

-- Rows older than 30 days may be deleted; `admin.audit_retention` says when they are.
CREATE TRIGGER "audit_event_no_delete" BEFORE DELETE ON "audit_event"
    FOR EACH ROW WHEN (OLD."ts" > (EXTRACT(EPOCH FROM now()) - 2592000) * 1000)
    EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "audit_event_no_truncate" BEFORE TRUNCATE ON "audit_event"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
