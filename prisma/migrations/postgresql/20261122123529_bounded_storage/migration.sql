-- CreateTable
CREATE TABLE "failed_fetch" (
    "domain" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "attempts" BIGINT NOT NULL,
    "first_ts" BIGINT NOT NULL,
    "last_ts" BIGINT NOT NULL,
    "last_server_name" TEXT NOT NULL,
    "last_message" TEXT NOT NULL,

    CONSTRAINT "failed_fetch_pkey" PRIMARY KEY ("domain","reason")
);

-- CreateTable
CREATE TABLE "domain_usage" (
    "domain" TEXT NOT NULL,
    "servers" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "domain_usage_pkey" PRIMARY KEY ("domain")
);

-- CreateIndex
CREATE INDEX "failed_fetch_last_ts_idx" ON "failed_fetch"("last_ts");
