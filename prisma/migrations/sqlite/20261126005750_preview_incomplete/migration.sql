-- AlterTable
ALTER TABLE "preview_cache" ADD COLUMN "is_incomplete" BOOLEAN;
