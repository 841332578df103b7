import { parseServerName } from './server-name.js';

const MAX_USER_ID_LENGTH = 255;
/** Local parts of old accounts hold more than the grammar allows today; blanks and control characters never. */
const LOCAL_PART = /^@[\x21-\x39\x3b-\x7e]+:/;

/** Whether a text is a user ID, `@name:server.name`; Matrix spec, "User Identifiers", historical ones included. */
export function isUserId(text: string): boolean {
  if (text.length > MAX_USER_ID_LENGTH || !LOCAL_PART.test(text)) return false;
  return parseServerName(text.slice(text.indexOf(':') + 1)) !== null;
}
