-- CreateTable
CREATE TABLE "block_rule" (
    "id" SERIAL NOT NULL,
    "list" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "note" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "created_ts" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,
    "changed_ts" BIGINT NOT NULL,
    "changed_by" TEXT NOT NULL,
    "removed" BOOLEAN NOT NULL DEFAULT false,
    "before" TEXT,

    CONSTRAINT "block_rule_pkey" PRIMARY KEY ("id")
);
