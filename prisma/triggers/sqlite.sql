-- Append-only tables: Prisma's models cannot declare triggers.

CREATE TRIGGER "key_event_no_update" BEFORE UPDATE ON "key_event"
BEGIN SELECT RAISE(ABORT, 'key_event is append-only'); END;

CREATE TRIGGER "key_event_no_delete" BEFORE DELETE ON "key_event"
BEGIN SELECT RAISE(ABORT, 'key_event is append-only'); END;

CREATE TRIGGER "log_entry_no_update" BEFORE UPDATE ON "log_entry"
BEGIN SELECT RAISE(ABORT, 'log_entry is append-only'); END;

CREATE TRIGGER "log_entry_no_delete" BEFORE DELETE ON "log_entry"
BEGIN SELECT RAISE(ABORT, 'log_entry is append-only'); END;

CREATE TRIGGER "audit_event_no_update" BEFORE UPDATE ON "audit_event"
BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END;

-- Rows older than 30 days may be deleted; `admin.audit_retention` says when they are.
CREATE TRIGGER "audit_event_no_delete" BEFORE DELETE ON "audit_event"
WHEN OLD."ts" > (CAST(strftime('%s', 'now') AS INTEGER) - 2592000) * 1000
BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END;
