/** Gives the lock back. Calling it again does nothing. */
export type Release = () => void;

/**
 * Mutual exclusion in order of arrival. Nobody is overtaken, so nobody starves.
 * There is no time limit here: who waits decides how long (Prisma's `maxWait` for transactions).
 */
export class FifoLock {
  #tail: Promise<void> = Promise.resolve();

  /** Resolves, when everyone who came before has released, to the function that releases. */
  acquire(): Promise<Release> {
    const before = this.#tail;
    return new Promise((resolveAcquired) => {
      this.#tail = new Promise((release) => {
        void before.then(() => resolveAcquired(release));
      });
    });
  }

  /** Runs `work` alone and releases however it ends. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
