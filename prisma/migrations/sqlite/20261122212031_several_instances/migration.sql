-- CreateTable
CREATE TABLE "instance_message" (
    "seq" BIGINT NOT NULL PRIMARY KEY,
    "sender" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "sent_ts" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "work_lease" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "holder" TEXT NOT NULL,
    "expires_ts" BIGINT NOT NULL,
    "outcome" TEXT
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_instance" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "started_ts" BIGINT NOT NULL,
    "last_seen_ts" BIGINT NOT NULL,
    "version" TEXT NOT NULL,
    "runs_media_jobs" BOOLEAN NOT NULL,
    "settings" TEXT NOT NULL DEFAULT ''
);
INSERT INTO "new_instance" ("last_seen_ts", "name", "runs_media_jobs", "started_ts", "version") SELECT "last_seen_ts", "name", "runs_media_jobs", "started_ts", "version" FROM "instance";
DROP TABLE "instance";
ALTER TABLE "new_instance" RENAME TO "instance";
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "work_lease_expires_ts_idx" ON "work_lease"("expires_ts");
