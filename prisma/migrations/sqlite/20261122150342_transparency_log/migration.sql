-- CreateTable
CREATE TABLE "log_queue" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "record_sha256" BLOB NOT NULL,
    "entry" BLOB NOT NULL,
    "queued_ts" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "log_entry" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "record_sha256" BLOB NOT NULL,
    "entry" BLOB NOT NULL
);

-- CreateTable
CREATE TABLE "log_tile" (
    "level" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "hashes" BLOB NOT NULL,

    PRIMARY KEY ("level", "n")
);

-- CreateTable
CREATE TABLE "log_state" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "verifier_key" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "signed_ts" BIGINT NOT NULL,
    "checked_id" INTEGER NOT NULL DEFAULT 0
);

-- CreateIndex
CREATE INDEX "log_entry_record_sha256_idx" ON "log_entry"("record_sha256");

-- Written by hand: the models do not know triggers.
CREATE TRIGGER "log_entry_no_update" BEFORE UPDATE ON "log_entry"
BEGIN
    SELECT RAISE(ABORT, 'log_entry is append-only');
END;

CREATE TRIGGER "log_entry_no_delete" BEFORE DELETE ON "log_entry"
BEGIN
    SELECT RAISE(ABORT, 'log_entry is append-only');
END;
