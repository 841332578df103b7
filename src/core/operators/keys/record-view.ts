import { setImmediate } from 'node:timers/promises';

import type { Database } from '../../store/db.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import { judgeSignatures, type SignatureVerdict } from '../../notary/key-record/signature-verdicts.js';

/** One signature on a record, for operators. */
export interface CheckedSignature {
  signer: string;
  keyId: string;
  isValid: boolean;
  /** Why it is not valid, or cannot be checked; null for a valid one. */
  message: string | null;
}

/** A stored record as its server published it. */
export interface RecordView {
  recordId: number;
  published: JsonObject;
  signatures: readonly CheckedSignature[];
}

/** Each check costs 0.1 ms of the event loop; honest records have one to three. */
const MAX_SIGNATURES = 50;

/** Views of records by row id; absent ones are left out. */
export async function viewRecords(
  database: Database,
  recordIds: readonly number[],
  ownName: string,
): Promise<RecordView[]> {
  const rows = await database.client.keyRecord.findMany({
    where: { id: { in: [...recordIds] } },
    select: { id: true, serverName: true, published: true },
  });
  const views: RecordView[] = [];
  for (const { id, serverName, published: bytes } of rows) {
    const published = parseStrictJson(Buffer.from(bytes), STORED_JSON);
    if (!isJsonObject(published)) throw new Error('a stored key record is damaged: not a JSON object');
    const { verdicts, leftOut } = judgeSignatures(published, serverName, MAX_SIGNATURES);
    // In the record of a name we share with a homeserver, what stands under it is the homeserver's.
    const foreignName = serverName === ownName ? null : ownName;
    const signatures = verdicts.map((verdict) => checked(verdict, foreignName));
    const message = `${leftOut} more signatures are not checked; no honest record has so many.`;
    if (leftOut > 0) signatures.push({ signer: serverName, keyId: '…', isValid: false, message });
    views.push({ recordId: id, published, signatures });
    await setImmediate();
  }
  return views;
}

const MESSAGES: Readonly<Record<SignatureVerdict['status'], string | null>> = {
  valid: null,
  invalid: 'It does not match the record.',
  'unknown key': 'The record does not list this key, so the signature cannot be checked.',
};
const FOREIGN = 'The server published it under our name; peers do not get it.';

function checked({ signer, keyId, status }: SignatureVerdict, foreignName: string | null): CheckedSignature {
  const message = signer === foreignName ? FOREIGN : MESSAGES[status];
  return { signer, keyId, isValid: status === 'valid', message };
}
