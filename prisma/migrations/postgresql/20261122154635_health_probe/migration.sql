-- CreateTable
CREATE TABLE "health_probe" (
    "key" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "advice" TEXT,
    "href" TEXT,
    "proved_ts" BIGINT NOT NULL,

    CONSTRAINT "health_probe_pkey" PRIMARY KEY ("key")
);
