-- Written by hand: what is stored of all domains together is counted from here on in a row of its own.
INSERT INTO "domain_usage" ("domain", "servers", "bytes")
SELECT '*', SUM("servers"), SUM("bytes") FROM "domain_usage" HAVING COUNT(*) > 0;
