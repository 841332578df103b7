-- AlterTable
ALTER TABLE "instance" ADD COLUMN     "settings" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "instance_message" (
    "seq" BIGINT NOT NULL,
    "sender" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "sent_ts" BIGINT NOT NULL,

    CONSTRAINT "instance_message_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "work_lease" (
    "key" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "expires_ts" BIGINT NOT NULL,
    "outcome" TEXT,

    CONSTRAINT "work_lease_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "work_lease_expires_ts_idx" ON "work_lease"("expires_ts");
