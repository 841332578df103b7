import { PassThrough, pipeline, type Readable } from 'node:stream';

import { S3Failure } from './s3-failure.js';

/** The same bytes; ends with a failure when the store sends none for a while although somebody would read them. */
export function watchStall(source: Readable, timeoutMs: number): Readable {
  const watched = new PassThrough();
  let isSilent = true;
  const timer = setInterval(() => {
    if (isSilent && watched.readableLength === 0) source.destroy(new S3Failure('timeout', null));
    isSilent = true;
  }, timeoutMs);
  source.on('data', () => {
    isSilent = false;
  });
  pipeline(source, watched, () => clearInterval(timer));
  return watched;
}
