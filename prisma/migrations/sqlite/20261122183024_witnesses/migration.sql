-- AlterTable
ALTER TABLE "log_state" ADD COLUMN "witnessed" TEXT;
ALTER TABLE "log_state" ADD COLUMN "witnessed_size" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "log_day" (
    "day_ts" BIGINT NOT NULL PRIMARY KEY,
    "entries" INTEGER NOT NULL
);

-- CreateTable
CREATE TABLE "log_witness" (
    "verifier_key" TEXT NOT NULL PRIMARY KEY,
    "cosigned_size" INTEGER NOT NULL DEFAULT 0,
    "cosigned_ts" BIGINT,
    "next_offer_ts" BIGINT NOT NULL DEFAULT 0,
    "fail_count" INTEGER NOT NULL DEFAULT 0,
    "failed_ts" BIGINT,
    "error" TEXT
);

-- CreateTable
CREATE TABLE "log_cosignature" (
    "size" INTEGER NOT NULL,
    "verifier_key" TEXT NOT NULL,
    "line" TEXT NOT NULL,

    PRIMARY KEY ("size", "verifier_key")
);

-- CreateTable
CREATE TABLE "witness_state" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "verifier_key" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "witnessed_log" (
    "origin" TEXT NOT NULL PRIMARY KEY,
    "size" BIGINT NOT NULL,
    "root" BLOB NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "cosigned_ts" BIGINT NOT NULL,
    "conflict" TEXT,
    "conflict_ts" BIGINT
);
