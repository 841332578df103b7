import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { openCheckpoint, readTreeSize, writeHashes, type OpenedCheckpoint } from './checkpoint.js';
import { sendRequest, type RequestTiming } from './io.js';
import {
  KEY_TYPES,
  cosignedTsOf,
  parseSignatureLines,
  verifyNote,
  writeSignatureLine,
  type VerifierKey,
} from './note.js';

/** A witness by its key and the address below which it takes checkpoints, which ends with a slash. */
export interface Witness {
  key: VerifierKey;
  url: URL;
}

/** A signed checkpoint, and the proof that it continues the one that the witness has. */
interface Offer {
  oldSize: number;
  proof: readonly Buffer[];
  checkpoint: string;
}

/** Its cosignature line with its time, POSIX ms; or the size of the last checkpoint it has cosigned. */
export type OfferAnswer = { line: string; cosignedTs: number } | { size: number };

/** The witness did not cosign; the message says what to do. */
export class WitnessRefusal extends Error {}

/** Room for sixteen large signatures; the answer to us is one line. */
const MAX_ANSWER_BYTES = 16 * 1024;
const MINUTE_MS = 60_000;
/** A cosignature says when a log was seen, so its clock must be about right. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * MINUTE_MS;

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [403, 'it knows our log by another key; give its operator the verifier key of the log'],
  [404, 'it does not know our log; give its operator the verifier key of the log'],
  [422, 'it has seen another history of our log than this one'],
]);

/** Offers a checkpoint to a witness (C2SP tlog-witness). Throws `WitnessRefusal` and `UnavailableError`. */
export async function offerCheckpoint(
  { key, url }: Witness,
  { oldSize, proof, checkpoint }: Offer,
  { nowTs, ...timing }: RequestTiming & { nowTs: number },
): Promise<OfferAnswer> {
  const { status, body } = await sendRequest(new URL('add-checkpoint', url), {
    body: `old ${oldSize}\n${writeHashes(proof)}\n${checkpoint}`,
    maxBodyBytes: MAX_ANSWER_BYTES,
    ...timing,
  });
  const size = status === 409 ? readTreeSize(body.toString().replace(/\n$/, '')) : null;
  if (size !== null) return { size };
  if (status !== 200) throw new WitnessRefusal(REFUSALS.get(status) ?? `it answered with status ${status}`);
  const text = checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1);
  const [cosigned] =
    verifyNote({ text, signatures: parseSignatureLines(body.toString()) ?? [] }, [key]) ?? [];
  if (cosigned === undefined || key.type !== KEY_TYPES.cosignature)
    throw new WitnessRefusal('its answer bears no cosignature of the configured key');
  const cosignedTs = cosignedTsOf(cosigned.signature);
  const differenceMs = Math.abs(cosignedTs - nowTs);
  if (differenceMs > MAX_CLOCK_DIFFERENCE_MS)
    throw new WitnessRefusal(`its clock and ours differ by ${Math.round(differenceMs / MINUTE_MS)} minutes`);
  return { line: writeSignatureLine(cosigned), cosignedTs };
}

/** The last checkpoint of this log that the witness has cosigned; `null`: none that the log's key has signed. */
export async function readKnownCheckpoint(
  { url }: Witness,
  logKey: VerifierKey,
  timing: RequestTiming,
): Promise<OpenedCheckpoint | null> {
  const origin = createHash('sha256').update(logKey.name).digest('hex');
  const address = new URL(`${origin}/checkpoint`, url);
  const { status, body } = await sendRequest(address, { maxBodyBytes: MAX_ANSWER_BYTES, ...timing });
  return status === 200 ? openCheckpoint(body.toString(), logKey) : null;
}
