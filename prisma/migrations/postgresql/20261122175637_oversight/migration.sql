-- CreateTable
CREATE TABLE "outbox" (
    "id" SERIAL NOT NULL,
    "channel" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_ts" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "message" TEXT,
    "finished_ts" BIGINT,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oversight_rule" (
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "oversight_rule_pkey" PRIMARY KEY ("kind","name")
);

-- CreateTable
CREATE TABLE "health_state" (
    "key" TEXT NOT NULL,
    "instance" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "ts" BIGINT NOT NULL,

    CONSTRAINT "health_state_pkey" PRIMARY KEY ("key","instance")
);

-- CreateIndex
CREATE INDEX "outbox_state_next_try_ts_idx" ON "outbox"("state", "next_try_ts");

-- CreateIndex
CREATE INDEX "outbox_channel_destination_subject_state_id_idx" ON "outbox"("channel", "destination", "subject", "state", "id");

-- CreateIndex
CREATE INDEX "outbox_state_finished_ts_idx" ON "outbox"("state", "finished_ts");
