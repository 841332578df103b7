import { NOT_RUN } from './commands-not-run.js';
import { readText } from './repository-files.js';

/** A command that stands in a block of a page, below a heading of the second level. */
export interface PageCommand {
  page: string;
  section: string;
  command: string;
}

/** Commands of the blocks of a page, continued lines as one. */
export function commandsOf(page: string): PageCommand[] {
  return sectionsOf(page).flatMap(({ section, text }) =>
    blocksIn(text).flatMap((block) => linesOf(block).map((command) => ({ page, section, command }))),
  );
}

/** Whether it stands in the list of those that no test runs. */
export function isNotRun({ page, command }: Pick<PageCommand, 'page' | 'command'>): boolean {
  return NOT_RUN.some((each) => each.page === page && each.command.test(command));
}

/**
 * The blocks of a page, or of one section of it (`PAGE#HEADING`), for the test that runs them, without what `NOT_RUN` names. Throws when there are more or fewer
 * than the test runs, so that none is added that nobody runs.
 */
export function blocksToRun(place: string, count: number): string[] {
  const [page = ''] = place.split('#');
  const blocks = blocksOf(place)
    .map((block) => ({ block, isWhole: linesOf(block).every((command) => !isNotRun({ page, command })) }))
    .map(({ block, isWhole }) => (isWhole ? block : commandsToRunOf(page, block).join('\n')))
    .filter((block) => block !== '');
  return counted(place, blocks, count);
}

/** The same by commands. */
export function commandsToRun(place: string, count: number): string[] {
  const [page = ''] = place.split('#');
  const commands = blocksOf(place).flatMap((block) => commandsToRunOf(page, block));
  return counted(place, commands, count);
}

function counted(place: string, runs: string[], count: number): string[] {
  if (runs.length === count) return runs;
  throw new Error(`${place}: its test runs ${count}, and there are ${runs.length}:\n${runs.join('\n')}`);
}

function commandsToRunOf(page: string, block: string): string[] {
  return linesOf(block).filter((command) => !isNotRun({ page, command }));
}

function sectionsOf(page: string): { section: string; text: string }[] {
  const texts = readText(page).split(/^## /m);
  return texts.map((text, at) => ({ section: at === 0 ? '' : text.slice(0, text.indexOf('\n')), text }));
}

function blocksOf(place: string): string[] {
  const [page = '', wanted] = place.split('#');
  return sectionsOf(page)
    .filter(({ section }) => wanted === undefined || section === wanted)
    .flatMap(({ text }) => blocksIn(text));
}

function blocksIn(text: string): string[] {
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

function linesOf(block: string): string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
