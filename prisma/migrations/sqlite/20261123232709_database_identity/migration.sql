-- CreateTable
CREATE TABLE "database_identity" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "identity" TEXT NOT NULL
);
