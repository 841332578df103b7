-- AlterTable
ALTER TABLE "log_state" ADD COLUMN     "witnessed" TEXT,
ADD COLUMN     "witnessed_size" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "log_day" (
    "day_ts" BIGINT NOT NULL,
    "entries" INTEGER NOT NULL,

    CONSTRAINT "log_day_pkey" PRIMARY KEY ("day_ts")
);

-- CreateTable
CREATE TABLE "log_witness" (
    "verifier_key" TEXT NOT NULL,
    "cosigned_size" INTEGER NOT NULL DEFAULT 0,
    "cosigned_ts" BIGINT,
    "next_offer_ts" BIGINT NOT NULL DEFAULT 0,
    "fail_count" INTEGER NOT NULL DEFAULT 0,
    "failed_ts" BIGINT,
    "error" TEXT,

    CONSTRAINT "log_witness_pkey" PRIMARY KEY ("verifier_key")
);

-- CreateTable
CREATE TABLE "log_cosignature" (
    "size" INTEGER NOT NULL,
    "verifier_key" TEXT NOT NULL,
    "line" TEXT NOT NULL,

    CONSTRAINT "log_cosignature_pkey" PRIMARY KEY ("size","verifier_key")
);

-- CreateTable
CREATE TABLE "witness_state" (
    "id" INTEGER NOT NULL,
    "verifier_key" TEXT NOT NULL,

    CONSTRAINT "witness_state_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "witnessed_log" (
    "origin" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "root" BYTEA NOT NULL,
    "checkpoint" TEXT NOT NULL,
    "cosigned_ts" BIGINT NOT NULL,
    "conflict" TEXT,
    "conflict_ts" BIGINT,

    CONSTRAINT "witnessed_log_pkey" PRIMARY KEY ("origin")
);
