-- CreateTable
CREATE TABLE "settings_seen" (
    "instance" TEXT NOT NULL PRIMARY KEY,
    "settings" TEXT NOT NULL,
    "ts" BIGINT NOT NULL
);
