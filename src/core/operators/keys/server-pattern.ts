import { storableText } from '../../base/text/storable-text.js';
import { readHostPattern } from '../../base/text/url-host.js';
import type { ListCondition } from '../../store/lists/keyset-filter.js';
import { containsPattern, sql } from '../../store/sql/sql.js';

/**
 * Rows of the servers that are meant, as `readHostPattern`: a name exactly, and those below one whatever their port.
 * `servedBy`: the orders whose index finds one server.
 */
export function onServer(text: string, servedBy: readonly string[]): ListCondition {
  const { name, itself, below } = readHostPattern(storableText(text));
  const columns = ['server_name'];
  if (!below) return { sql: sql`server_name = ${storableText(text.trim())}`, columns, servedBy };
  // A pattern of everything around the name, without what stands before or after it.
  const around = containsPattern(name).slice(1, -1);
  const like = (pattern: string) => sql`server_name LIKE ${pattern} ESCAPE '\\'`;
  const under = sql`${like(`%.${around}`)} OR ${like(`%.${around}:%`)}`;
  const test = itself ? sql`server_name = ${name} OR ${like(`${around}:%`)} OR ${under}` : under;
  return { sql: test, columns, servedBy: [] };
}
