import { z } from 'zod';

import { ApiError, storeUnavailable } from '../../../core/base/errors/api-error.js';

/** Why a server has no place on its store, as it goes from process to process. */
export const PLACE_REFUSAL = z.object({
  /** Of an error that waiting does not mend; `null`: the store is away. */
  reason: z.string().nullable(),
  message: z.string(),
});

export type PlaceRefusal = z.infer<typeof PLACE_REFUSAL>;

/** What `ServerPlace.take` rejected with. */
export function refusalOf(error: unknown): PlaceRefusal {
  if (error instanceof ApiError) return { reason: error.reason, message: error.message };
  // With what the driver said, by which the cause is told.
  const cause = error instanceof Error ? JSON.stringify(error.cause) : '';
  return { reason: null, message: `${String(error)} ${cause}` };
}

/** The same again on the other side. */
export function placeError({ reason, message }: PlaceRefusal): ApiError {
  return reason === null ? storeUnavailable(new Error(message)) : new ApiError(500, message, { reason });
}
