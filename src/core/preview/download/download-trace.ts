import { isIpLiteral } from '../../net/address/ip-address.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { OutboundEvent, OutboundObserver, OutboundPhase } from '../../net/http/guarded-connect.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import { bodyStart } from '../../base/text/strings.js';

type StepDetail = NonNullable<TraceStep['detail']>;

/** Reasons for which a chain of redirects ends early. */
const REDIRECT_REASONS: ReadonlySet<string> = new Set(['redirect_loop', 'redirect_target', 'scheme']);

/**
 * Tells how one download goes: for each hop name resolution, connect and TLS, then the redirects and the body. A
 * failure is told once, by the stage it happened in.
 */
export class DownloadTrace implements OutboundObserver {
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
  end({ phase, ms, error, detail }: OutboundEvent): void {
    const host = this.#hopUrl?.hostname ?? '';
    const isBlocked = error?.reason === 'address_blocked';
    const isName = !isIpLiteral(host.replaceAll(/[[\]]/g, ''));
    if (phase === 'address' && isName && (error === null || isBlocked)) {
      const addresses = String(detail['addresses'] ?? error?.address ?? '');
      const sentence = `${host} is at ${addresses}`;
      this.#step('dns', { status: 'ok', ms, sentence, detail: { host, addresses } });
    }
    const name = phase === 'address' && !isBlocked ? 'dns' : phase;
    if (error !== null) return this.#step(name, { status: 'failed', ms, ...failureOf(error) });
    if (phase !== 'address')
      this.#step(name, { status: 'ok', ms, sentence: sentenceOf(phase, detail), detail });
    // Through a proxy the connection is one phase.
    const isWhole = detail['proxy'] !== undefined || this.#hopUrl?.protocol === 'http:';
    if (phase === 'tls' || (phase === 'connect' && isWhole)) this.trace.begin?.('download');
  }

  redirect(status: number, to: string): void {
    const sentence = `Status ${status}, redirects to ${to}`;
    this.#step('redirects', { status: 'ok', ms: this.#pauseMs(), sentence, detail: { status, to } });
  }

  finished({ finalUrl, status, sizeBytes: bytes, contentType }: Finished): void {
    const sentence = `${bytes} bytes of ${contentType}, status ${status}`;
    const detail = { status, bytes, contentType, finalUrl };
    this.#step('download', { status: 'ok', ms: this.#pauseMs(), sentence, detail });
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
    const shown = { ...detail, ...this.#answer };
    const name = isLed ? 'redirects' : 'download';
    this.#step(name, { status: 'failed', ms: this.#pauseMs(), sentence, detail: shown });
  }

  #step(name: string, step: Omit<TraceStep, 'name'>): void {
    const isFailed = step.status === 'failed';
    if (isFailed) this.#hasFailed = true;
    this.trace.step({ name, ...step, status: isFailed ? this.failure : step.status });
    this.#lastMs = performance.now();
  }

  #pauseMs(): number {
    return Math.round(performance.now() - this.#lastMs);
  }
}

type Finished = Record<'finalUrl' | 'contentType', string> & Record<'status' | 'sizeBytes', number>;

/** What operators read of an error: one sentence, and the reason by which advice is found. */
export function failureOf(error: unknown): { sentence: string; detail: StepDetail } {
  if (!(error instanceof ApiError)) return { sentence: 'An unexpected error occurred.', detail: {} };
  const { reason, detail, message, address } = error;
  const sentence = detail === null || detail === '' ? message : `${message}: ${detail}`;
  return { sentence, detail: { reason: reason ?? '', ...(address === null ? {} : { address }) } };
}

function sentenceOf(phase: OutboundPhase, detail: StepDetail): string {
  const { address, port, proxy, tlsVersion, tlsName } = detail;
  if (phase === 'tls') return `${tlsVersion}, certificate valid for ${tlsName}`;
  return proxy === undefined ? `Connected to ${address} port ${port}` : `Through the proxy ${proxy}`;
}
