-- AlterTable
ALTER TABLE "database_identity" ADD COLUMN "server_name" TEXT;
