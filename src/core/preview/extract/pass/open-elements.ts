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

/** The same with where others are, so that nobody has to look for them; -1: nowhere. */
interface PlacedElement<T> extends OpenElement<T> {
  /** The next outer one of its name. */
  readonly before: number;
  /** The innermost barriers, itself among them. */
  readonly special: number;
  readonly scope: number;
}

/**
 * The elements open at a point of a page: a list, not a tree. Tells `closed` the depth of each element that
 * ends, innermost first. Work per tag does not grow with the depth, but for the elements that it ends.
 */
export class OpenElements<T> {
  private readonly elements: PlacedElement<T>[] = [];
  /** The innermost open one of each name, -1 for none. */
  private readonly last = new Map<string, number>();
  private deeper = 0;

  constructor(private readonly closed: (depth: number) => void) {}

  get depth(): number {
    return this.elements.length;
  }

  get innermost(): OpenElement<T> | undefined {
    return this.elements.at(-1);
  }

  isOpen(name: string): boolean {
    return this.lastOf(name) !== -1;
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
    const at = this.elements.length;
    const { special: outerSpecial = -1, scope: outerScope = -1 } = this.elements.at(-1) ?? {};
    const special = SPECIAL.has(name) ? at : outerSpecial;
    const scope = SCOPE.has(name) ? at : outerScope;
    this.elements.push({ name, note, before: this.lastOf(name), special, scope });
    this.last.set(name, at);
    return true;
  }

  /** Ends the innermost open `name` and everything inside it; nothing when no such element is in reach. */
  close(name: string): void {
    if (this.deeper > 0) {
      this.deeper -= 1;
      return;
    }
    const at = this.lastOf(name);
    const innermost = this.elements.at(-1);
    if (at === -1 || innermost === undefined) return;
    const barrier = SPECIAL.has(name) ? innermost.scope : innermost.special;
    if (barrier > at) return;
    while (this.elements.length > at) this.pop();
  }

  closeAll(): void {
    while (this.elements.length > 0) this.pop();
  }

  private pop(): void {
    const element = this.elements.pop();
    if (element === undefined) return;
    this.last.set(element.name, element.before);
    this.closed(this.elements.length);
  }

  private lastOf(name: string): number {
    return this.last.get(name) ?? -1;
  }
}
