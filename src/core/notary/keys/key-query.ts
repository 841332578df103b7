/** What a caller wants of one key id (SPEC §2.2). */
export interface KeyRequest {
  keyId: string;
  /** Lowest acceptable `valid_until_ts` in POSIX ms; `null` when the caller did not say. */
  minimumValidUntilTs: number | bigint | null;
}

/** What a caller wants of one server. No keys: all keys of the server, without validity checks (SPEC §4.3). */
export interface ServerQuery {
  serverName: string;
  keys: readonly KeyRequest[];
}

/** Limits of one POST: a homeserver that joins the largest rooms asks about some hundred servers at a time. */
export const KEY_QUERY_LIMITS = {
  maxBodyBytes: 1024 * 1024,
  maxServers: 1000,
  maxKeyIdsPerServer: 100,
  maxKeyIds: 5000,
  /** Larger answers are refused, so that nobody can have us assemble them. */
  maxAnswerBytes: 16 * 1024 * 1024,
};
