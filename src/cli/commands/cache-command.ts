import type { Command } from 'commander';
import { systemClock } from '../../core/base/clock.js';
import { counted } from '../../core/base/text/counted.js';
import { measureCache } from '../../core/operators/previews/cache-figures.js';
import { configOption, type JsonOption } from '../configuration.js';
import { runDeletion } from '../job/run-deletion.js';
import { withServices } from '../store-session.js';
import { formatBytes } from '../terminal/bytes.js';
import { note, print, printJson } from '../terminal/print.js';

/** `vidimus cache stats|clear`. */
export function addCacheCommands(program: Command): void {
  const cache = program
    .command('cache')
    .description('stored previews with their media')
    .addHelpText('after', EXAMPLES);
  cache
    .command('stats')
    .description('count stored previews, media and thumbnails')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(stats);
  cache
    .command('clear')
    .description('delete stored previews with their pages and images')
    .addOption(configOption())
    .option('--failed', 'only previews that came out empty ({})')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(clear);
}

const EXAMPLES = `
A running server also remembers previews, failed ones too, in memory for an hour. With PostgreSQL it is told what is
cleared; with SQLite use "vidimus previews forget" behind this one.

Examples:
  $ vidimus cache stats --config config.yaml
  $ vidimus cache clear --config config.yaml
  $ vidimus cache clear --failed -c config.yaml --json`;

const MEMORY_NOTE =
  'A running server with SQLite goes on with what it remembers in memory: "vidimus previews forget" ends that.';

async function stats(option: JsonOption): Promise<void> {
  const figures = await withServices(option, ({ database }) => measureCache(database, systemClock.now()));
  if (option.json) {
    printJson(figures);
    return;
  }
  const { previews, media, thumbnails } = figures;
  print(
    `previews    ${previews.stored}  (${previews.fresh} fresh, ${previews.expired} expired, ${previews.empty} empty)`,
    `media       ${media.items}  ${formatBytes(media.bytes)}${media.missing > 0 ? `, ${counted(media.missing, 'file')} missing` : ''}`,
    `thumbnails  ${thumbnails.items}  ${formatBytes(thumbnails.bytes)}`,
  );
  note(MEMORY_NOTE);
}

async function clear(option: JsonOption & { failed?: true }): Promise<void> {
  const filter = option.failed ? { isEmpty: true } : {};
  await withServices(option, async (services) => {
    const deletion = services.cache.deletePreviews({ withMedia: true });
    const matched = await deletion.count({ filter });
    await runDeletion(services, deletion, { selection: { filter }, matched, ...option });
  });
  if (!option.json) note(MEMORY_NOTE);
}
