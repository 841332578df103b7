import { readText } from './repository-files.js';

/** The blocks of shell commands in a page, or in one section of it (`PAGE#HEADING`). */
export function blocksOf(place: string): string[] {
  const [page = '', wanted] = place.split('#');
  const sections = readText(page).split(/^## /m);
  const text = sections.filter((each) => wanted === undefined || each.startsWith(`${wanted}\n`)).join('## ');
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** The commands of these blocks, continued lines as one. */
export function commandsOf(place: string): string[] {
  return blocksOf(place).flatMap((block) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
}
