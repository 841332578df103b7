/**
 * Public keys (hex) whose private half is known to everybody. The one entry is the key that a deployment
 * chart derived from a constant: CVE-2026-24044, banned by Synapse since 1.147.1.
 */
export const KNOWN_BANNED_PUBLIC_KEYS: readonly string[] = [
  '97f3bd871315281e8b83edc7a9fd0541066154449070ccdb3cdd42cf69ccde88',
];
