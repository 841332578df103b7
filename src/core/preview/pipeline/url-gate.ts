import type { Clock } from '../../base/clock.js';
import { ApiError, invalidParam } from '../../base/errors/api-error.js';
import type { AddressPolicy } from '../../net/address/address-policy.js';
import { addressRuleText } from '../rules/url-pattern.js';
import type { UrlRules } from '../rules/url-rules.js';
import type { BlacklistHitStore, HitStage } from './blacklist-hit-store.js';

/** Who asks, and for which part of a preview. */
export interface GateVisit {
  stage: HitStage;
  userId: string;
  requestId: string;
}

/** The gate's eye on one download. */
export interface DownloadWatch {
  /** To be called with each address before it is fetched; throws as `check` does. */
  readonly onHop: (url: string) => void;
  /** To be called with what the download failed with. */
  readonly noteFailure: (error: unknown) => void;
}

/** What the gate is built from. */
export interface UrlGateOptions {
  rules: UrlRules;
  /** What the connections of previews are judged by; names the range that refused. */
  policy: AddressPolicy;
  hits: BlacklistHitStore;
  clock: Clock;
}

/** Rules of operators at every address a preview touches (SPEC §4.7.1); each refusal is kept for operators. */
export class UrlGate {
  constructor(private readonly options: UrlGateOptions) {}

  /** Throws 403 for an address that a rule matches, 400 for one that cannot be split. */
  check(url: string, visit: GateVisit): void {
    const match = this.options.rules.match(url);
    if (match === null) return;
    if (match === 'unsplittable') throw invalidParam("Query parameter 'url' is not a valid URL");
    this.#record(url, visit, { rule: match.rule, address: null });
    throw new ApiError(403, 'URL blocked by url pattern blacklist entry', {
      reason: 'url_blocked',
      detail: `${url} matches ${match.rule}`,
    });
  }

  /** Judges the addresses of one download one after another, and keeps what refuses it. */
  watch(visit: GateVisit): DownloadWatch {
    let current: string | null = null;
    const { userId, requestId } = visit;
    let { stage } = visit;
    return {
      onHop: (hop) => {
        if (current !== null && stage === 'target') stage = 'redirect';
        current = hop;
        this.check(hop, { stage, userId, requestId });
      },
      noteFailure: (error) => {
        if (current !== null) this.#noteFailure(current, { stage, userId, requestId }, error);
      },
    };
  }

  /** Keeps a refusal by the address policy; other errors are none of its business. */
  #noteFailure(url: string, visit: GateVisit, error: unknown): void {
    if (!(error instanceof ApiError) || error.reason !== 'address_blocked') return;
    const range = error.address === null ? null : this.options.policy.judge(error.address).range;
    const rule = addressRuleText('url_preview_ip_range_blacklist', range);
    this.#record(url, visit, { rule, address: error.address });
  }

  #record(url: string, visit: GateVisit, refusal: { rule: string; address: string | null }): void {
    const { stage, userId, requestId } = visit;
    const { rule, address } = refusal;
    const ts = this.options.clock.now();
    this.options.hits.record({ ts, url, stage, userId, requestId, rule, address });
  }
}
