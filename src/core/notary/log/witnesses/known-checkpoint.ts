import { createHash } from 'node:crypto';

import type { Deadline } from '../../../base/deadline.js';
import { fetchTrusted } from '../../../net/http/trusted-client.js';
import type { OpenedCheckpoint } from '../follower/log-contradiction.js';
import { openCheckpoint } from '../follower/open-checkpoint.js';
import { readCheckpoint } from '../notes/checkpoint.js';
import type { VerifierKey } from '../notes/verifier-key.js';
import type { PublishedLog } from '../published-log.js';
import { verifyConsistency } from '../tree/consistency.js';
import { MAX_ANSWER_BYTES, type Witness } from './witness-client.js';

/**
 * Why our log is not the one that a witness has cosigned: a checkpoint there that bears our signature, which the witness
 * cannot make, is none of what the database holds. `null`: it shows nothing of the kind. Rejects when it cannot be asked.
 */
export async function whyContradicted(
  witness: Witness,
  log: PublishedLog,
  deadline: Deadline,
): Promise<string | null> {
  const known = await readKnown(witness, log.verifierKey, deadline);
  if (known === null) return null;
  // Another instance may have signed it a moment ago.
  const state = await log.refresh();
  const ours = readCheckpoint(state.checkpoint);
  if (ours === null || log.damage !== null) return null;
  const has = `${witness.key.name} has a checkpoint of ${known.size} entries that we signed`;
  if (known.size > ours.size) return `${has}, and the database has ${ours.size}`;
  const proof = await log.proveConsistency(known.size, ours.size);
  return verifyConsistency(known, ours, proof) ? null : `${has}, and the database has other entries`;
}

/** The last checkpoint of ours that it has cosigned (C2SP tlog-witness, "Monitoring"); `null`: none of ours. */
async function readKnown(
  { url }: Witness,
  key: VerifierKey,
  deadline: Deadline,
): Promise<OpenedCheckpoint | null> {
  const origin = createHash('sha256').update(key.name).digest('hex');
  const { status, body } = await fetchTrusted({
    url: new URL(`${origin}/checkpoint`, url),
    headers: {},
    maxBodyBytes: MAX_ANSWER_BYTES,
    deadline,
  });
  return status === 200 ? openCheckpoint(body.toString(), key) : null;
}
