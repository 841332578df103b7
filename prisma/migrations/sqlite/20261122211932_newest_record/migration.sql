-- CreateTable
CREATE TABLE "newest_record" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "server_name" TEXT NOT NULL,
    "record_id" INTEGER,
    "from_ts" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "newest_record_server_name_from_ts_id_idx" ON "newest_record"("server_name", "from_ts", "id");

-- As far as records tell: each was the newest when it came, and again when it was last seen, if another came between.
INSERT INTO "newest_record" ("server_name", "record_id", "from_ts")
SELECT "server_name", "record_id", "ts" FROM (
    SELECT "server_name", "record_id", "ts",
        LAG("record_id") OVER (PARTITION BY "server_name" ORDER BY "ts", "record_id") AS "before_id"
    FROM (
        SELECT "server_name", "id" AS "record_id", "first_seen_ts" AS "ts" FROM "key_record"
        UNION ALL
        SELECT "server_name", "id", "last_seen_ts" FROM "key_record" WHERE "last_seen_ts" > "first_seen_ts"
    ) AS "seen"
) AS "changes"
WHERE "before_id" IS NULL OR "before_id" <> "record_id"
ORDER BY "ts", "record_id";
