import { MINUTE_MS, SECOND_MS } from '../../../base/clock.js';
import type { Deadline } from '../../../base/deadline.js';
import { toOutboundError } from '../../../base/errors/outbound-error.js';
import { counted } from '../../../base/text/counted.js';
import { fetchTrusted, type TrustedResponse } from '../../../net/http/trusted-client.js';
import { readTreeSize } from '../notes/checkpoint.js';
import { readCosignature } from '../notes/cosignature.js';
import { parseSignatureLines, verifyNote, writeSignatureLine } from '../notes/signed-note.js';
import { KEY_TYPES, VerifierKey } from '../notes/verifier-key.js';

/** A witness as configured. */
export interface Witness {
  key: VerifierKey;
  /** Of its `add-checkpoint`. */
  url: URL;
}

/** A checkpoint, and what shows that it goes on from the one that the witness has. */
export interface Offer {
  oldSize: number;
  proof: readonly Buffer[];
  /** The signed note. */
  checkpoint: string;
}

/** What a witness said to it: its cosignature with its time, POSIX ms, or how many entries it knows. */
export type WitnessAnswer = { line: string; cosignedTs: number } | { size: number };

/** When and on whose time an offer is made. */
export interface OfferTime {
  nowTs: number;
  deadline: Deadline;
}

/** An answer that is no cosignature; the message says what to do. */
export class WitnessRefusal extends Error {}

/** Sixteen large signatures; the answer to us is one line. */
export const MAX_ANSWER_BYTES = 16 * 1024;
/** Clocks may differ so much; a cosignature says at which time a log was seen. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * MINUTE_MS;

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, 'it found the offer malformed'],
  [403, 'it knows our log by another key; give its operator the verifier key of the log'],
  [404, 'it does not know our log; give its operator the verifier key of the log'],
  [422, 'it has seen another history of our log than this one'],
  [429, 'it is asked too often'],
]);

/**
 * Offers a checkpoint to a witness (C2SP tlog-witness, "add-checkpoint"). Its address is the operator's choice, so that
 * it may be a private one; it cannot lead us to another, as redirects are not followed. Throws `WitnessRefusal`, and
 * `ApiError` with an outbound reason when no answer comes.
 */
export async function offerCheckpoint(
  { key, url }: Witness,
  offer: Offer,
  { nowTs, deadline }: OfferTime,
): Promise<WitnessAnswer> {
  const proof = offer.proof.map((hash) => `${hash.toString('base64')}\n`).join('');
  const response = await post(url, `old ${offer.oldSize}\n${proof}\n${offer.checkpoint}`, deadline);
  if (response.status === 200) return readCosigned(key, response, { checkpoint: offer.checkpoint, nowTs });
  const size = response.status === 409 ? readTreeSize(response.body.toString().replace(/\n$/, '')) : null;
  if (size !== null) return { size };
  throw new WitnessRefusal(REFUSALS.get(response.status) ?? `it answered with status ${response.status}`);
}

async function post(url: URL, body: string, deadline: Deadline): Promise<TrustedResponse> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  try {
    return await fetchTrusted({ url, headers, body, maxBodyBytes: MAX_ANSWER_BYTES, deadline });
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.error('timeout_headers', url.host);
    throw toOutboundError(error, 'host_unreachable');
  }
}

function readCosigned(
  key: VerifierKey,
  { body }: TrustedResponse,
  { checkpoint, nowTs }: { checkpoint: string; nowTs: number },
): WitnessAnswer {
  const text = checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1);
  const signatures = parseSignatureLines(body.toString()) ?? [];
  const [cosigned] = verifyNote({ text, signatures }, [key]) ?? [];
  const cosignature = cosigned === undefined ? null : readCosignature(cosigned.signature, text);
  if (cosigned === undefined || cosignature === null || key.type !== KEY_TYPES.cosignature) {
    throw new WitnessRefusal('its answer bears no cosignature of the configured key');
  }
  const cosignedTs = cosignature.seconds * SECOND_MS;
  const differenceMs = Math.abs(cosignedTs - nowTs);
  if (differenceMs > MAX_CLOCK_DIFFERENCE_MS) {
    const difference = counted(Math.round(differenceMs / MINUTE_MS), 'minute');
    throw new WitnessRefusal(`its clock and ours differ by ${difference}`);
  }
  return { line: writeSignatureLine(cosigned), cosignedTs };
}
