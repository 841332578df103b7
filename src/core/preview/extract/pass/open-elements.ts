/** Elements followed at once; deeper ones are only counted, so their text belongs to the innermost followed. */
const MAX_DEPTH = 512;

const VOID = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);
/** Ordinary closing tags (`</span>`) do not reach beyond these; HTML §13.2.4.2 "special". */
const SPECIAL = new Set(
  (
    'address applet article aside blockquote body button caption center colgroup dd details dir div dl dt fieldset ' +
    'figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li main marquee menu ' +
    'nav noframes noscript object ol p pre script search section select style summary table tbody td template ' +
    'textarea tfoot th thead title tr ul xmp'
  ).split(' '),
);
/** No closing tag reaches beyond these; HTML §13.2.4.2 "in scope". */
const SCOPE = new Set('applet caption html table td th marquee object template'.split(' '));
const P = new Set(['p']);
const CELL = new Set(['td', 'th', 'p']);
/** Which open elements the start of another one ends. */
const ENDS = new Map<string, ReadonlySet<string>>([
  ...(
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 ' +
    'h3 h4 h5 h6 header hgroup hr main menu nav ol p pre section table ul'
  )
    .split(' ')
    .map((name): [string, ReadonlySet<string>] => [name, P]),
  ['li', new Set(['li', 'p'])],
  ['dd', new Set(['dd', 'dt', 'p'])],
  ['dt', new Set(['dd', 'dt', 'p'])],
  ['td', CELL],
  ['th', CELL],
  ['tr', new Set(['td', 'th', 'tr', 'p'])],
  ['tbody', new Set(['td', 'th', 'tr', 'tbody', 'thead', 'p'])],
  ['tfoot', new Set(['td', 'th', 'tr', 'tbody', 'thead', 'p'])],
  ['option', new Set(['option'])],
  ['body', new Set(['head', 'noscript', 'title'])],
]);

/** Whether an element of that name, in lower case, never has an end tag (HTML, 13.1.2). */
export function isVoidElement(name: string): boolean {
  return VOID.has(name);
}

/** One open element and what its owner wants to remember of it. */
export interface OpenElement<T> {
  readonly name: string;
  readonly note: T;
}

/**
 * The elements open at a point of a page: a list, not a tree. Tells `closed` the depth of each element that
 * ends, innermost first. Work per tag is bounded whatever the depth.
 */
export class OpenElements<T> {
  private readonly elements: OpenElement<T>[] = [];
  private readonly counts = new Map<string, number>();
  private deeper = 0;

  constructor(private readonly closed: (depth: number) => void) {}

  get depth(): number {
    return this.elements.length;
  }

  get innermost(): OpenElement<T> | undefined {
    return this.elements.at(-1);
  }

  isOpen(name: string): boolean {
    return (this.counts.get(name) ?? 0) > 0;
  }

  /** Ends what the start of `name` ends by itself: a paragraph at the next one, an item at the next item. */
  closeImplied(name: string): void {
    const ended = ENDS.get(name);
    if (ended === undefined) return;
    while (ended.has(this.elements.at(-1)?.name ?? '')) this.pop();
  }

  /** False when the element is nested too deep to be followed. */
  push(name: string, note: T): boolean {
    if (this.elements.length >= MAX_DEPTH) {
      this.deeper += 1;
      return false;
    }
    this.elements.push({ name, note });
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return true;
  }

  /** Ends the innermost open `name` and everything inside it; nothing when no such element is in reach. */
  close(name: string): void {
    if (this.deeper > 0) {
      this.deeper -= 1;
      return;
    }
    if (!this.isOpen(name)) return;
    const barrier = SPECIAL.has(name) ? SCOPE : SPECIAL;
    for (let at = this.elements.length - 1; at >= 0; at -= 1) {
      const open = this.elements[at]?.name ?? '';
      if (open === name) {
        while (this.elements.length > at) this.pop();
        return;
      }
      if (barrier.has(open)) return;
    }
  }

  closeAll(): void {
    while (this.elements.length > 0) this.pop();
  }

  private pop(): void {
    const element = this.elements.pop();
    if (element === undefined) return;
    this.counts.set(element.name, (this.counts.get(element.name) ?? 1) - 1);
    this.closed(this.elements.length);
  }
}
