-- CreateTable
CREATE TABLE "dropped_alarm" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT
);
