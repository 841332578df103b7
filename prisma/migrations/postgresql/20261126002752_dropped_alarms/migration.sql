-- CreateTable
CREATE TABLE "dropped_alarm" (
    "seq" INTEGER NOT NULL,

    CONSTRAINT "dropped_alarm_pkey" PRIMARY KEY ("seq")
);
