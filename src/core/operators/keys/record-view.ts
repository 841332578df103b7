import { setImmediate } from 'node:timers/promises';

import type { Database } from '../../store/db.js';
import {
  createJsonObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import { signedPayload } from '../../notary/key-record/key-record.js';
import { signRecord } from '../../notary/key-record/record-signing.js';
import { judgeSignatures, type SignatureVerdict } from '../../notary/key-record/signature-verdicts.js';
import { decodeBase64, Ed25519Verifier, type SigningKey } from '../../notary/signing/signer.js';

/** One signature on a record, for operators. */
export interface CheckedSignature {
  signer: string;
  keyId: string;
  isValid: boolean;
  /** Made by one of our own keys, for peers that ask us. */
  isOurs: boolean;
  /** Why nothing can be said, or what is wrong; null for a valid one. */
  message: string | null;
}

/** A stored record as it came and as it goes out. */
export interface RecordView {
  recordId: number;
  /** Byte for byte as the origin published it. */
  publishedText: string;
  published: JsonObject;
  /** As a peer would get it now, in canonical form. */
  servedText: string;
  served: JsonObject;
  signatures: readonly CheckedSignature[];
}

/** Who signs what peers get. */
export interface OwnSigner {
  serverName: string;
  keys: readonly SigningKey[];
}

/** Each check costs 0.1 ms of the event loop; honest records have one to three. */
const MAX_SIGNATURES = 50;

/** Views of records by row id; absent ones are left out. A few records at a turn of the event loop. */
export async function viewRecords(
  database: Database,
  recordIds: readonly number[],
  own: OwnSigner,
): Promise<Map<number, RecordView>> {
  const rows = await database.client.keyRecord.findMany({
    where: { id: { in: [...recordIds] } },
    select: { id: true, serverName: true, published: true },
  });
  const views = new Map<number, RecordView>();
  for (const row of rows) {
    views.set(row.id, viewOf(row, own));
    await setImmediate();
  }
  return views;
}

function viewOf(row: { id: number; serverName: string; published: Uint8Array }, own: OwnSigner): RecordView {
  const bytes = Buffer.from(row.published);
  const servedBytes = signRecord(bytes, own.serverName, own.keys);
  const [published, served] = [readObject(bytes), readObject(servedBytes)];
  const { verdicts, leftOut } = judgeSignatures(published, row.serverName, MAX_SIGNATURES);
  // In the record of a name we share with a homeserver, what stands under it is the homeserver's.
  const ownName = row.serverName === own.serverName ? null : own.serverName;
  const signatures = verdicts.map((verdict) => checked(verdict, ownName));
  if (leftOut > 0) signatures.push(notChecked(row.serverName, leftOut));
  return {
    recordId: row.id,
    publishedText: bytes.toString('utf8'),
    published,
    servedText: servedBytes.toString('utf8'),
    served,
    signatures: [...signatures, ...ourSignatures(served, own)],
  };
}

function checked({ signer, keyId, status }: SignatureVerdict, ownName: string | null): CheckedSignature {
  return {
    signer,
    keyId,
    isValid: status === 'valid',
    isOurs: false,
    message: messageOn(status, signer === ownName),
  };
}

function messageOn(status: SignatureVerdict['status'], isUnderOurName: boolean): string | null {
  if (isUnderOurName) return 'It stands under our name but the server put it there; peers do not get it.';
  if (status === 'valid') return null;
  return status === 'invalid'
    ? 'It does not fit the record.'
    : 'The record does not list this key, so nobody can tell from the record alone.';
}

function notChecked(signer: string, count: number): CheckedSignature {
  const message = `${count} more signatures are not checked; no honest record has so many.`;
  return { signer, keyId: '…', isValid: false, isOurs: false, message };
}

function ourSignatures(served: JsonObject, own: OwnSigner): CheckedSignature[] {
  const payload = signedPayload(served);
  const signatures = membersOf(membersOf(served['signatures'])[own.serverName]);
  return own.keys.map(({ keyId, publicKey }) => {
    const encoded = signatures[keyId];
    const bytes = typeof encoded === 'string' ? decodeBase64(encoded) : null;
    const isValid = bytes !== null && Ed25519Verifier.create(publicKey)?.verify(payload, bytes) === true;
    const message = isValid ? null : 'It does not fit the record.';
    return { signer: own.serverName, keyId, isValid, isOurs: true, message };
  });
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : createJsonObject();
}

function readObject(bytes: Buffer): JsonObject {
  const value = parseStrictJson(bytes, STORED_JSON);
  if (!isJsonObject(value)) throw new Error('a stored key record is damaged: no JSON object');
  return value;
}
