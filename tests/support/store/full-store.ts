import type { Database } from '../../../src/core/store/db.js';

/**
 * Lets the database grow no more, as if its disk were full: SQLite by its own limit, so that what fits into its pages
 * still goes in; PostgreSQL by an error of its own code at every insert.
 */
export async function fillStore({ engine, client }: Database): Promise<void> {
  if (engine === 'sqlite') {
    const [row] = await client.$queryRawUnsafe<{ page_count: number | bigint }[]>('PRAGMA page_count');
    await client.$queryRawUnsafe(`PRAGMA max_page_count = ${Number(row?.page_count)}`);
    return;
  }
  await client.$executeRawUnsafe(`
    CREATE FUNCTION refuse_to_grow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`);
  await client.$executeRawUnsafe(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('CREATE TRIGGER full_disk BEFORE INSERT ON %I EXECUTE FUNCTION refuse_to_grow()', name);
      END LOOP;
    END $$`);
}

/** Makes room again. */
export async function makeRoom({ engine, client }: Database): Promise<void> {
  if (engine === 'sqlite') await client.$queryRawUnsafe('PRAGMA max_page_count = 1000000');
  else await client.$executeRawUnsafe('DROP FUNCTION refuse_to_grow CASCADE');
}
