import type { CpuProfile } from './cut-profile.js';

/** What a frame stands for, by its function or its file; the innermost one that is named here counts. */
const MARKS: readonly [string, RegExp][] = [
  ['garbage collection', /^\(garbage collector\) /],
  ["Prisma's compiler", /^\S* \S*query_compiler|^\S* wasm:/],
  ["Prisma's client", /^\S* \S*\/client-\w+/],
  ['configuration', /^(?:loadConfig|requireConfig) /],
  ['our keys', /^requireKeyFiles /],
  ['store: opening, migrations', /^(?:openDatabase|migrate|withMigrationLock) /],
  ['our services', /^(?:openServices|openStore|create) /],
  ['listeners, HTTP', /^(?:openListeners|createApp) /],
  ['command line', /^(?:createProgram|parseAsync) /],
  ['top levels of modules', /^(?:\(anonymous\)|__require\w*|__init|init_\w+|require_\w+|) \S*\/chunks\//],
  ['finding, reading, linking and compiling modules', / node:internal\/modules| node:internal\/vm/],
  ['sources of a checkout', /check-build|source-stamp/],
  ["Node's own start", / node:internal\/(?:bootstrap|main|process)/],
  ['outside JavaScript', /^\(program\) /],
];

/** Shares of a profile's samples by what was at work, largest first; they add up to 1. Idle time is left out. */
export function profileParts({ nodes, samples }: CpuProfile): [string, number][] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const partOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { functionName = '', url = '' } = byId.get(at)?.callFrame ?? {};
      const mark = MARKS.find(([, pattern]) => pattern.test(`${functionName} ${url}`));
      if (mark !== undefined) return mark[0];
    }
    return 'all else';
  };
  const counts = new Map<string, number>();
  const busy = samples.filter((id) => byId.get(id)?.callFrame.functionName !== '(idle)');
  for (const id of busy) counts.set(partOf(id), (counts.get(partOf(id)) ?? 0) + 1);
  return Array.from(counts, ([part, count]): [string, number] => [part, count / busy.length]).toSorted(
    ([, one], [, other]) => other - one,
  );
}
