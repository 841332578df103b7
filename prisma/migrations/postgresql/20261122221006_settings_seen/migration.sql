-- CreateTable
CREATE TABLE "settings_seen" (
    "instance" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "ts" BIGINT NOT NULL,

    CONSTRAINT "settings_seen_pkey" PRIMARY KEY ("instance")
);
