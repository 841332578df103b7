import { NOT_RUN } from './commands-not-run.js';
import { readText } from './repository-files.js';

/** A command that stands in a block of a page. */
export interface PageCommand {
  page: string;
  command: string;
}

/** Commands of the blocks of a page, continued lines as one. */
export function commandsOf(page: string): PageCommand[] {
  return blocksOf(page).flatMap((block) => linesOf(block).map((command) => ({ page, command })));
}

/** Whether it stands in the list of those that no test runs. */
export function isNotRun({ page, command }: PageCommand): boolean {
  return NOT_RUN.some((each) => each.page === page && each.command.test(command));
}

/**
 * The blocks of a page for the test that runs them, without what `NOT_RUN` names. Throws when there are more or fewer
 * than the test runs, so that none is added that nobody runs.
 */
export function blocksToRun(page: string, count: number): string[] {
  const blocks = blocksOf(page)
    .map((block) => ({ block, isWhole: linesOf(block).every((command) => !isNotRun({ page, command })) }))
    .map(({ block, isWhole }) => (isWhole ? block : commandsToRunOf(page, block).join('\n')))
    .filter((block) => block !== '');
  return counted(page, blocks, count);
}

/** The same by commands. */
export function commandsToRun(page: string, count: number): string[] {
  const commands = blocksOf(page).flatMap((block) => commandsToRunOf(page, block));
  return counted(page, commands, count);
}

function counted(page: string, runs: string[], count: number): string[] {
  if (runs.length === count) return runs;
  throw new Error(`${page}: its test runs ${count}, and there are ${runs.length}:\n${runs.join('\n')}`);
}

function commandsToRunOf(page: string, block: string): string[] {
  return linesOf(block).filter((command) => !isNotRun({ page, command }));
}

function blocksOf(page: string): string[] {
  return [...readText(page).matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

function linesOf(block: string): string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
