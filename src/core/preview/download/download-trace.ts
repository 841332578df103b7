import { isIpLiteral } from '../../net/address/ip-address.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { OutboundEvent, OutboundObserver, OutboundPhase } from '../../net/http/guarded-connect.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import { bodyStart } from '../../base/text/strings.js';

type StepDetail = NonNullable<TraceStep['detail']>;

/** Reasons for which a chain of redirects ends early. */
const REDIRECT_REASONS: ReadonlySet<string> = new Set(['redirect_loop', 'redirect_target', 'scheme']);

/**
 * Tells how one download goes: for each hop name resolution, address check, connect and TLS, then the redirects and
 * the body. A failure is told once, by the stage it happened in.
 */
export class DownloadTrace implements OutboundObserver {
  #hops = 0;
  #hasFailed = false;
  #hopUrl: URL | null = null;
  /** Status and beginning of an answer with an error status. */
  #answer: StepDetail = {};
  #lastMs = performance.now();

  /** `failure`: what a failed step is. */
  constructor(
    private readonly trace: Trace,
    private readonly failure: 'failed' | 'warning',
  ) {}

  hop(url: URL): void {
    this.#hopUrl = url;
    this.#lastMs = performance.now();
  }

  /** A phase of making the hop's connection begins. */
  begin(phase: OutboundPhase): void {
    this.trace.begin?.(phase === 'address' ? 'dns' : phase);
  }

  /** A phase of making the hop's connection ended. */
  end(event: OutboundEvent): void {
    if (event.phase === 'address') this.#address(event);
    else if (event.phase === 'connect') this.#connect(event);
    else this.#step('tls', { ...outcomeOf(event), sentence: tlsSentence(event) });
    if (event.error !== null || event.phase === 'address') return;
    const isProxied = event.detail['proxy'] !== undefined;
    const isPlain = event.phase === 'connect' && !isProxied && this.#hopUrl?.protocol === 'http:';
    if (isPlain) {
      this.#step('tls', { status: 'skipped', ms: 0, sentence: 'The address is http: there is no TLS.' });
    }
    if (isPlain || isProxied || event.phase === 'tls') this.trace.begin?.('download');
  }

  redirect(status: number, to: string): void {
    this.#hops += 1;
    const sentence = `Status ${status}, redirects to ${to}`;
    this.#step('redirects', { status: 'ok', ms: this.#pauseMs(), sentence, detail: { status, to } });
  }

  finished({
    finalUrl,
    status,
    sizeBytes,
    contentType,
  }: {
    finalUrl: string;
    status: number;
    sizeBytes: number;
    contentType: string;
  }): void {
    if (this.#hops === 0 && this.#hopUrl !== null) {
      this.#step('redirects', { status: 'skipped', ms: 0, sentence: 'No redirects.' });
    }
    this.#step('download', {
      status: 'ok',
      ms: this.#pauseMs(),
      sentence: `${sizeBytes} bytes of ${contentType}, status ${status}`,
      detail: { status, bytes: sizeBytes, contentType, finalUrl },
    });
  }

  /** An answer has an error status: it is shown with its beginning. */
  refused(status: number, body: Buffer): void {
    this.#answer = { status, ...(body.length === 0 ? {} : { body: bodyStart(body) }) };
  }

  /** The download ended early. Told unless a phase of the connection has told it. */
  failed(error: unknown): void {
    if (this.#hasFailed) return;
    const reason = error instanceof ApiError ? error.reason : null;
    const isLed = reason === 'url_blocked' ? this.#hopUrl !== null : REDIRECT_REASONS.has(reason ?? '');
    const { sentence, detail } = failureOf(error);
    this.#step(isLed ? 'redirects' : 'download', {
      status: 'failed',
      ms: this.#pauseMs(),
      sentence,
      detail: { ...detail, ...this.#answer },
    });
  }

  #address(event: OutboundEvent): void {
    const host = (this.#hopUrl?.hostname ?? '').replace(/^\[|\]$/g, '');
    const isBlocked = event.error?.reason === 'address_blocked';
    if (event.error !== null && !isBlocked) {
      this.#step('dns', outcomeOf(event));
      return;
    }
    const addresses = String(event.detail['addresses'] ?? event.error?.address ?? '');
    if (isIpLiteral(host)) {
      this.#step('dns', { status: 'skipped', ms: 0, sentence: `${host} is an address, not a name.` });
    } else {
      const sentence = `${host} is at ${addresses}`;
      this.#step('dns', { status: 'ok', ms: event.ms, sentence, detail: { host, addresses } });
    }
    if (isBlocked) this.#step('address', { ...outcomeOf(event), ms: 0 });
    else this.#step('address', { status: 'ok', ms: 0, sentence: `Allowed: ${addresses}` });
  }

  #connect(event: OutboundEvent): void {
    const { address, port, proxy } = event.detail;
    const made = proxy === undefined ? `Connected to ${address} port ${port}` : `Through the proxy ${proxy}`;
    const outcome = outcomeOf(event);
    this.#step('connect', event.error === null ? { ...outcome, sentence: made } : outcome);
  }

  #step(name: string, step: Omit<TraceStep, 'name'>): void {
    if (step.status === 'failed') this.#hasFailed = true;
    this.trace.step({ name, ...step, status: step.status === 'failed' ? this.failure : step.status });
    this.#lastMs = performance.now();
  }

  #pauseMs(): number {
    return Math.round(performance.now() - this.#lastMs);
  }
}

/** What operators read of an error: one sentence, and the reason by which advice is found. */
export function failureOf(error: unknown): { sentence: string; detail: StepDetail } {
  if (!(error instanceof ApiError)) return { sentence: 'An unexpected error occurred.', detail: {} };
  const { reason, detail, message, address } = error;
  const told = detail === null || detail === '' ? message : `${message}: ${detail}`;
  return {
    sentence: told,
    detail: { reason: reason ?? '', ...(address === null ? {} : { address }) },
  };
}

function outcomeOf({ ms, error, detail }: OutboundEvent): Omit<TraceStep, 'name'> {
  return error === null
    ? { status: 'ok', ms, sentence: '', detail }
    : { status: 'failed', ms, ...failureOf(error) };
}

function tlsSentence(event: OutboundEvent): string {
  if (event.error !== null) return failureOf(event.error).sentence;
  return `${event.detail['tlsVersion']}, certificate valid for ${event.detail['tlsName']}`;
}
