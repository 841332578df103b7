/** Setting federation_domain_whitelist, which operators may change while the service runs. */
export class FederationWhitelist {
  #names: ReadonlySet<string> | null = null;
  #origin: string | null = null;

  /** `names` null: not configured, every server may be asked; empty: none. `origin` says where it is set. */
  constructor(names: readonly string[] | null, origin: string | null = null) {
    this.replace(names, origin);
  }

  /** The servers that may be asked; `null` when all may. */
  get names(): ReadonlySet<string> | null {
    return this.#names;
  }

  /** Where it is set, such as `config.yaml:12`; `null` when that is not known. */
  get origin(): string | null {
    return this.#origin;
  }

  /** Whether a server may be asked for its keys (SPEC §4.4.6). Names are compared whole. */
  allows(serverName: string): boolean {
    return this.#names === null || this.#names.has(serverName);
  }

  /** Takes other names from now on; fetches under way go on. */
  replace(names: readonly string[] | null, origin: string | null): void {
    this.#names = names === null ? null : new Set(names);
    this.#origin = origin;
  }
}
