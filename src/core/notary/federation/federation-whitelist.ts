/** Where the list stands, or one entry of it, such as `config.yaml:12`; `null` when that is not known. */
export type OriginOf = (position: number | null) => string | null;

/** Setting federation_domain_whitelist, which operators may change while the service runs. */
export class FederationWhitelist {
  #list: readonly string[] = [];
  #names: ReadonlySet<string> | null = null;
  #originOf: OriginOf = () => null;

  /** `names` null: not configured, every server may be asked; empty: none. */
  constructor(names: readonly string[] | null, originOf: OriginOf = () => null) {
    this.replace(names, originOf);
  }

  /** The servers that may be asked; `null` when all may. */
  get names(): ReadonlySet<string> | null {
    return this.#names;
  }

  /** Which setting decides on a server and where it stands, with the entry that names it where there is one. */
  sourceOf(serverName: string): string {
    const position = this.#list.indexOf(serverName);
    const origin = this.#originOf(position === -1 ? null : position);
    const entry = position === -1 ? '' : `entry ${position + 1} of `;
    return `${entry}federation_domain_whitelist${origin === null ? '' : ` (${origin})`}`;
  }

  /** Whether a server may be asked for its keys (SPEC §4.4.6). Names are compared whole. */
  allows(serverName: string): boolean {
    return this.#names === null || this.#names.has(serverName);
  }

  /** Takes other names from now on; fetches under way go on. */
  replace(names: readonly string[] | null, originOf: OriginOf): void {
    this.#list = names ?? [];
    this.#names = names === null ? null : new Set(names);
    this.#originOf = originOf;
  }
}
