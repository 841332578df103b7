import { isUserId } from '../../notary/federation/server-name.js';
import type { TokenScope } from './access-token-store.js';

/** A token as an operator asks for it. */
export interface TokenRequest {
  label: string;
  scopes: readonly TokenScope[];
  userId: string | null;
  /** `null`: never ends. */
  expiresInDays: number | null;
}

/** What is wrong with a request, and with which of its members. */
export interface TokenError {
  member: keyof TokenRequest;
  message: string;
}

const MAX_LABEL_LENGTH = 100;
const MAX_DAYS = 3650;

/** The first thing that keeps a token from being made; `null` when it can be. */
export function checkNewToken({ label, scopes, userId, expiresInDays }: TokenRequest): TokenError | null {
  if (label.trim() === '' || label.length > MAX_LABEL_LENGTH) {
    return { member: 'label', message: `A name of 1 to ${MAX_LABEL_LENGTH} characters is needed` };
  }
  if (scopes.length === 0) return { member: 'scopes', message: 'At least one scope is needed' };
  const isForPreviews = scopes.includes('preview');
  if (isForPreviews && userId === null) {
    return { member: 'userId', message: 'The scope preview needs the user whose previews it requests' };
  }
  if (!isForPreviews && userId !== null) {
    return { member: 'userId', message: 'A user can only be set with the scope preview' };
  }
  if (userId !== null && !isUserId(userId)) {
    return { member: 'userId', message: 'A user ID has the form @name:server.name' };
  }
  if (expiresInDays !== null && (expiresInDays < 1 || expiresInDays > MAX_DAYS)) {
    return { member: 'expiresInDays', message: `From 1 to ${MAX_DAYS} days` };
  }
  return null;
}
