import type { Database } from '../../src/core/store/db.js';

/** A database that counts every call that becomes one statement or more. */
export function countingDatabase(database: Database): { database: Database; statements: () => number } {
  let statements = 0;
  const counted = (target: object): object =>
    new Proxy(target, {
      get(owner, name) {
        const member: unknown = Reflect.get(owner, name);
        if (typeof member === 'object' && member !== null) return counted(member);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          statements += 1;
          return Reflect.apply(member, owner, args) as unknown;
        };
      },
    });
  const counting: Database = {
    ...database,
    client: counted(database.client) as Database['client'],
  };
  return { database: counting, statements: () => statements };
}
