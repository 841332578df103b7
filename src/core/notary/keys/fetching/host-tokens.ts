import { parseServerName } from '../../federation/server-name.js';
import type { ServerHealth } from '../fetch-throttle.js';
import { entryCache } from '../../../base/runtime/entry-cache.js';

type Tokens = Pick<ServerHealth, 'throttleTokens' | 'throttleTokensTs'>;

const REMEMBERED_HOSTS = 10_000;

/** Tokens of the throttle by host: names that differ in case or port alone cost nothing, and lead to one host. */
export class HostTokens {
  readonly #tokens = entryCache<Tokens>(REMEMBERED_HOSTS);

  /** What is remembered of a server, with the tokens its host has left. */
  applyTo(serverName: string, health: ServerHealth): ServerHealth {
    const kept = this.#tokens.get(lowerCaseHost(serverName));
    return kept === undefined || wasDrawnSince(health, kept) ? health : { ...health, ...kept };
  }

  keep(serverName: string, { throttleTokens, throttleTokensTs }: ServerHealth): void {
    this.#tokens.set(lowerCaseHost(serverName), { throttleTokens, throttleTokensTs });
  }
}

/** Whether another instance drew from the stored bucket after what is remembered; at one time only fewer are left. */
function wasDrawnSince(stored: Tokens, kept: Tokens): boolean {
  return stored.throttleTokensTs === kept.throttleTokensTs
    ? stored.throttleTokens < kept.throttleTokens
    : stored.throttleTokensTs > kept.throttleTokensTs;
}

/** The host of a server, however its name is written. Behind one address many may stand, so there the port counts. */
export function lowerCaseHost(serverName: string): string {
  const name = parseServerName(serverName);
  return (name?.hostKind === 'dns' ? name.host : serverName).toLowerCase();
}
