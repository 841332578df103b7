-- CreateTable
CREATE TABLE "database_identity" (
    "id" INTEGER NOT NULL,
    "identity" TEXT NOT NULL,

    CONSTRAINT "database_identity_pkey" PRIMARY KEY ("id")
);
