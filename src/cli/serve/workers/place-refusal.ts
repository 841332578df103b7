import { z } from 'zod';

import { ApiError, storeUnavailable } from '../../../core/base/errors/api-error.js';

/** Why a server has no place on its store, as it goes from process to process. */
export const PLACE_REFUSAL = z.object({
  /** Whether another server has it; else the store is away. */
  isInUse: z.boolean(),
  message: z.string(),
});

export type PlaceRefusal = z.infer<typeof PLACE_REFUSAL>;

const IN_USE = 'store_in_use';

/** What `ServerPlace.take` rejected with. */
export function refusalOf(error: unknown): PlaceRefusal {
  if (error instanceof ApiError && error.reason === IN_USE) return { isInUse: true, message: error.message };
  // With what the driver said, by which the cause is told.
  const cause = error instanceof Error ? JSON.stringify(error.cause) : '';
  return { isInUse: false, message: `${String(error)} ${cause}` };
}

/** The same again on the other side. */
export function placeError({ isInUse, message }: PlaceRefusal): ApiError {
  return isInUse ? new ApiError(500, message, { reason: IN_USE }) : storeUnavailable(new Error(message));
}
