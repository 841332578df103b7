import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const KB = 1024;
/** The name of the program, a library or a kind of memory stands last in the first line of each region. */
const REGION = /^[\da-f]+-[\da-f]+ (\S+) \S+ \S+ \S+\s*(.*)$/;
const RSS = /^Rss:\s+(\d+) kB$/;

/** Resident memory of a process by what it is for, in bytes; the parts add up to all of it. Empty without /proc. */
export function memoryParts(pid: number, heapFolder: string | null): Map<string, number> {
  const parts = new Map<string, number>();
  const add = (name: string, bytes: number) => parts.set(name, (parts.get(name) ?? 0) + bytes);
  let part = '';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'latin1').split('\n')) {
    const [, permissions = '', place = ''] = REGION.exec(line) ?? [];
    if (permissions !== '') part = partOf(permissions, place);
    const kilobytes = RSS.exec(line)?.[1];
    if (kilobytes !== undefined) add(part, Number(kilobytes) * KB);
  }
  for (const [name, bytes] of heapFolder === null ? [] : heapsIn(heapFolder)) {
    add(name, bytes);
    add(ELSE, -bytes);
  }
  return parts;
}

const ELSE = 'WebAssembly, second arena of malloc, stacks';

function partOf(permissions: string, place: string): string {
  if (place.endsWith('/node')) return 'file of Node';
  if (/libvips|sharp/.test(place)) return 'files of the decoder';
  if (place.startsWith('/')) return 'other files';
  if (place === '[heap]') return 'malloc, first arena';
  return permissions.includes('x') ? 'machine code made by V8' : ELSE;
}

/** What `heap-probe.cjs` wrote; machine code lies in regions of its own. */
function heapsIn(folder: string): [string, number][] {
  return readdirSync(folder)
    .filter((file) => file.startsWith('heap-'))
    .flatMap((file): [string, number][] => {
      const thread = file === 'heap-0.json' ? 'main thread' : 'second thread';
      const spaces: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return Object.entries(spaces ?? {})
        .filter(([name]) => !name.startsWith('code'))
        .map(([name, bytes]) => [`heap of the ${thread}, ${KINDS.get(name) ?? 'objects'}`, Number(bytes)]);
    });
}

const KINDS = new Map([
  ['new_space', 'room for young objects'],
  ['new_large_object_space', 'room for young objects'],
  ['large_object_space', 'large objects, mostly texts of modules'],
]);
