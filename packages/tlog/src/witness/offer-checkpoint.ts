import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { sendRequest, type HttpResponse } from '../http.js';
import { readTreeSize, openCheckpoint, type OpenedCheckpoint } from '../notes/checkpoint.js';
import { readCosignature } from '../notes/cosignature.js';
import { parseSignatureLines, verifyNote, writeSignatureLine } from '../notes/signed-note.js';
import { KEY_TYPES, type VerifierKey } from '../notes/verifier-key.js';

/** A witness by its key and the address below which it takes checkpoints. */
export interface Witness {
  key: VerifierKey;
  /** Ends with a slash. */
  url: URL;
}

/** A checkpoint, and the proof that it continues the one that the witness has. */
export interface Offer {
  oldSize: number;
  proof: readonly Buffer[];
  /** The signed note. */
  checkpoint: string;
}

/** Its cosignature line with its time, POSIX ms; or the size of the last checkpoint it has cosigned. */
export type WitnessAnswer = { line: string; cosignedTs: number } | { size: number };

export interface OfferTiming {
  nowTs: number;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** The witness did not cosign; the message says what to do. */
export class WitnessRefusal extends Error {}

/** Sixteen large signatures; the answer to us is one line. */
const MAX_ANSWER_BYTES = 16 * 1024;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** A cosignature says when a log was seen, so its clock must be about right. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * MINUTE_MS;

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, 'it found the offer malformed'],
  [403, 'it knows our log by another key; give its operator the verifier key of the log'],
  [404, 'it does not know our log; give its operator the verifier key of the log'],
  [422, 'it has seen another history of our log than this one'],
  [429, 'it is asked too often'],
]);

/**
 * Offers a checkpoint to a witness (C2SP tlog-witness, "add-checkpoint"). Throws `WitnessRefusal`, and
 * `UnavailableError` when no answer comes.
 */
export async function offerCheckpoint(
  { key, url }: Witness,
  offer: Offer,
  { nowTs, ...timing }: OfferTiming,
): Promise<WitnessAnswer> {
  const proof = offer.proof.map((hash) => `${hash.toString('base64')}\n`).join('');
  const response = await sendRequest({
    url: new URL('add-checkpoint', url),
    body: `old ${offer.oldSize}\n${proof}\n${offer.checkpoint}`,
    maxBodyBytes: MAX_ANSWER_BYTES,
    ...timing,
  });
  if (response.status === 200) return readCosigned(key, response, { checkpoint: offer.checkpoint, nowTs });
  const size = response.status === 409 ? readTreeSize(response.body.toString().replace(/\n$/, '')) : null;
  if (size !== null) return { size };
  throw new WitnessRefusal(REFUSALS.get(response.status) ?? `it answered with status ${response.status}`);
}

/** The last checkpoint of this log that the witness has cosigned; `null`: none that its key has signed. */
export async function readKnownCheckpoint(
  { url }: Witness,
  logKey: VerifierKey,
  timing: Omit<OfferTiming, 'nowTs'>,
): Promise<OpenedCheckpoint | null> {
  const origin = createHash('sha256').update(logKey.name).digest('hex');
  const request = { url: new URL(`${origin}/checkpoint`, url), maxBodyBytes: MAX_ANSWER_BYTES, ...timing };
  const { status, body } = await sendRequest(request);
  return status === 200 ? openCheckpoint(body.toString(), logKey) : null;
}

function readCosigned(
  key: VerifierKey,
  { body }: HttpResponse,
  { checkpoint, nowTs }: { checkpoint: string; nowTs: number },
): WitnessAnswer {
  const text = checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1);
  const signatures = parseSignatureLines(body.toString()) ?? [];
  const [cosigned] = verifyNote({ text, signatures }, [key]) ?? [];
  const cosignature = cosigned === undefined ? null : readCosignature(cosigned.signature, text);
  if (cosigned === undefined || cosignature === null || key.type !== KEY_TYPES.cosignature)
    throw new WitnessRefusal('its answer bears no cosignature of the configured key');
  const cosignedTs = cosignature.seconds * SECOND_MS;
  const differenceMs = Math.abs(cosignedTs - nowTs);
  if (differenceMs > MAX_CLOCK_DIFFERENCE_MS)
    throw new WitnessRefusal(`its clock and ours differ by ${Math.round(differenceMs / MINUTE_MS)} minutes`);
  return { line: writeSignatureLine(cosigned), cosignedTs };
}
