import { ApiError, errorCode } from '../../base/errors/api-error.js';

/** Codes of S3 that say what an operator has to change; each with what it means. */
const REFUSALS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  NotFound: 'there is no such bucket',
  InvalidBucketName: 'the bucket name is not valid',
  PermanentRedirect: 'the bucket is at another endpoint',
  AuthorizationHeaderMalformed: 'the region is wrong',
  InvalidAccessKeyId: 'the access key ID is not known there',
  SignatureDoesNotMatch: 'the secret access key is wrong',
  AccessDenied: 'the access key lacks the permission',
  // All that a question about one object is answered with.
  Forbidden: 'the access key or its secret is wrong, or the permission is missing',
  RequestTimeTooSkewed: 'the clocks of this machine and the store differ by more than 15 minutes',
  QuotaExceeded: 'the storage is full',
  EntityTooLarge: 'the file exceeds the size limit of the store',
};

const RETRY_AFTER_SECONDS = 10;

/** A request to the object store that failed: nothing is known of what is there. */
export class S3Failure extends ApiError {
  /** Of the cause its message alone is kept. */
  constructor(
    /** The code that S3 gave, or that of the system; `timeout` when the time was over. */
    readonly failure: string,
    error: unknown,
  ) {
    const cause = error instanceof Error ? new Error(error.message) : undefined;
    const why = REFUSALS[failure];
    super(503, 'The media store cannot be used at the moment', {
      cause,
      reason: why === undefined ? 'media_store_away' : 'media_store_refused',
      detail:
        why === undefined ? `The media store does not answer: ${failure}` : `The media store refuses: ${why}`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /** What is wrong, when the store said so; `null`: it is away. */
  get refusal(): string | null {
    return REFUSALS[this.failure] ?? null;
  }
}

/** The failure that an error of the client means. */
export function s3Failure(error: unknown, isExpired: boolean): S3Failure {
  if (error instanceof S3Failure) return error;
  if (isExpired) return new S3Failure('timeout', error);
  const unknown = error instanceof Error ? error.name : 'unknown';
  return new S3Failure(errorCode(error) || unknown, error);
}
