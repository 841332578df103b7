import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Response } from 'express';

import type { AuditEntry } from '../../core/access/operators/audit.js';
import type { Viewer } from '../../core/access/operators/viewer.js';
import { errorCode } from '../../core/base/errors/error-code.js';

/** What the audit table says of every export alike. */
export function exportEntry(
  { name: actor, role, method, address }: Viewer,
  requestId: string,
): Omit<AuditEntry, 'action' | 'summary' | 'detail'> {
  return { actor, role, method, targetType: null, targetId: null, outcome: 'ok', address, requestId };
}

/** Sends a text as a download, as fast as the client reads it. `fileName` is plain ASCII. */
export async function sendExport(
  response: Response,
  text: AsyncIterable<string>,
  { type, fileName }: { type: string; fileName: string },
): Promise<void> {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  try {
    await pipeline(Readable.from(text), response);
  } catch (error) {
    // A reader who has had enough is no error.
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
