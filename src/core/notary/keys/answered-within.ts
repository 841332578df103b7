import { storeUnavailable } from '../../base/errors/api-error.js';

/** The outcome of a look-up that is not waited for any longer than that; it goes on by itself. */
export async function answeredWithin<T>(limitMs: number, lookUp: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(storeUnavailable(new Error('the store did not answer in time'))),
      limitMs,
    );
  });
  try {
    return await Promise.race([lookUp, expired]);
  } finally {
    clearTimeout(timer);
  }
}
