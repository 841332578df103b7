/**
 * Things that wait, taken by turns at each part of their path: first by its first part, among those by the second, and
 * so on; first come, first served below one path.
 */
export class Turns<T> {
  readonly #branches = new Map<string, Turns<T>>();
  readonly #waiting = new Set<T>();

  get isEmpty(): boolean {
    return this.#branches.size === 0 && this.#waiting.size === 0;
  }

  add(path: readonly string[], item: T): void {
    const [first, ...rest] = path;
    if (first === undefined) {
      this.#waiting.add(item);
      return;
    }
    const branch = this.#branches.get(first) ?? new Turns<T>();
    this.#branches.set(first, branch);
    branch.add(rest, item);
  }

  remove(path: readonly string[], item: T): void {
    const [first, ...rest] = path;
    if (first === undefined) {
      this.#waiting.delete(item);
      return;
    }
    const branch = this.#branches.get(first);
    branch?.remove(rest, item);
    if (branch?.isEmpty === true) this.#branches.delete(first);
  }

  /**
   * Takes the next one below a path that `mayGo` allows; it is told each longer path. Returns it with the path it was
   * found by, `null` when there is none.
   * Yields before each path it looks at, so that a long search can be gone on with later; meanwhile things may come and go.
   */
  *take(
    mayGo: (path: readonly string[]) => boolean,
    path: readonly string[] = [],
  ): Generator<void, { item: T; path: readonly string[] } | null> {
    for (const item of this.#waiting) {
      this.#waiting.delete(item);
      return { item, path };
    }
    for (const [part, branch] of this.#branches) {
      yield;
      const longer = [...path, part];
      if (!mayGo(longer)) continue;
      const taken = yield* branch.take(mayGo, longer);
      if (taken === null) continue;
      // Whoever had a turn stands last.
      this.#branches.delete(part);
      if (!branch.isEmpty) this.#branches.set(part, branch);
      return taken;
    }
    return null;
  }
}
