-- AlterTable
ALTER TABLE "sign_in_code" ADD COLUMN "actor" TEXT NOT NULL DEFAULT 'operator';
