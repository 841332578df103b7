/** Makes a value when it is first asked for. A failure is told to those who wait for it, and forgotten. */
export class Remembered<T> {
  #made: Promise<T> | null = null;

  constructor(private readonly make: () => Promise<T>) {}

  /** The value made or being made; `null` before. */
  get current(): Promise<T> | null {
    return this.#made;
  }

  get(): Promise<T> {
    if (this.#made !== null) return this.#made;
    const made = this.make();
    this.#made = made;
    made.catch(() => this.forget(made));
    return made;
  }

  /** Who asks next has it made anew. With `made` only when it is still that one. */
  forget(made: Promise<T> | null = this.#made): void {
    if (this.#made === made) this.#made = null;
  }
}
