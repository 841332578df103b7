-- CreateTable
CREATE TABLE "log_queue" (
    "id" SERIAL NOT NULL,
    "record_sha256" BYTEA NOT NULL,
    "entry" BYTEA NOT NULL,
    "queued_ts" BIGINT NOT NULL,

    CONSTRAINT "log_queue_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_entry" (
    "seq" INTEGER NOT NULL,
    "record_sha256" BYTEA NOT NULL,
    "entry" BYTEA NOT NULL,

    CONSTRAINT "log_entry_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "log_tile" (
    "level" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "hashes" BYTEA NOT NULL,

    CONSTRAINT "log_tile_pkey" PRIMARY KEY ("level","n")
);

-- CreateTable
CREATE TABLE "log_state" (
    "id" INTEGER NOT NULL,
    "verifier_key" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "signed_ts" BIGINT NOT NULL,
    "checked_id" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "log_state_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "log_entry_record_sha256_idx" ON "log_entry"("record_sha256");

-- Written by hand: the models do not know triggers.
CREATE TRIGGER "log_entry_no_change" BEFORE UPDATE OR DELETE ON "log_entry"
    FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "log_entry_no_truncate" BEFORE TRUNCATE ON "log_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
