import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseSize } from '../../config/kinds/units.js';
import { withoutUsers } from '../../core/access/operators/privacy.js';
import { systemClock } from '../../core/base/clock.js';
import { parseMediaId } from '../../core/preview/media/media-id.js';
import type { Selection } from '../../core/operators/media/bulk-deletion.js';
import type { FileState, MediaFilter } from '../../core/operators/media/media-filter.js';
import type { MediaList } from '../../core/operators/media/media-list.js';
import type { MediaRecord } from '../../core/operators/media/media-records.js';
import { eachPage, type PageRequest } from '../../core/store/lists/keyset-page.js';
import { readDuration } from '../api/operation.js';
import { configOption, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { runDeletion } from '../job/run-deletion.js';
import { withServices } from '../store-session.js';
import { formatBytes } from '../terminal/bytes.js';
import { formatTs, note, print, printJson, printTable } from '../terminal/print.js';
import { runJob } from './job-command.js';

interface FilterOption extends ConfigOption {
  json?: true;
  search?: string;
  owner?: string;
  type?: string;
  host?: string;
  minBytes?: number;
  olderThan?: number;
  state?: FileState;
  orphan?: true;
}

/** `vidimus media ls|rm|verify`. */
export function addMediaCommands(program: Command): void {
  const media = program
    .command('media')
    .description('stored pages and images of previews')
    .addHelpText('after', EXAMPLES);
  withFilters(media.command('ls').description('list media, newest first'))
    .option('--limit <count>', 'how many at most', readCount, 100)
    .option('--largest', 'largest first instead')
    .action(list);
  withFilters(media.command('rm').description('delete media with its thumbnails'))
    .argument('[media-id...]', 'which; without, all that the filters let through')
    .option(
      '--count <count>',
      'delete by filter, if so many match; without it only their number is said',
      readCount,
    )
    .option('--yes', 'delete by filter, however many match')
    .action(remove);
  media
    .command('verify')
    .description('compare files with rows: mark what is missing, remove files nobody knows')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((option: FilterOption) => runJob('media_sweep', option));
}

const EXAMPLES = `
Previews that use deleted media are forgotten, so that the next request makes them anew. What a running
server remembers in memory is forgotten with "vidimus previews forget".

Examples:
  $ vidimus media ls --config config.yaml --type image/ --min-bytes 1M
  $ vidimus media rm 2026-11-21_AbCdEfGhIjKlMnOp -c config.yaml
  $ vidimus media rm --host example.org --count 47 -c config.yaml
  $ vidimus media verify -c config.yaml --json`;

function withFilters(command: Command): Command {
  return command
    .addOption(configOption())
    .option('--search <text>', 'part of the ID, the address or the file name')
    .option('--owner <user-id>', 'who asked for the preview')
    .option('--type <type>', 'media type or its beginning, such as image/')
    .option('--host <name>', 'host it came from; *.NAME below it, .NAME both')
    .option('--min-bytes <size>', 'at least so large, such as 500k or 2M', readBytes)
    .option('--older-than <duration>', 'made longer ago, such as 12h or 30d', readDuration)
    .addOption(
      new Option('--state <state>', 'how its file stands').choices(['present', 'missing', 'removed']),
    )
    .option('--orphan', 'used by no stored preview')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES);
}

async function list(option: FilterOption & { limit: number; largest?: true }): Promise<void> {
  const sort = { field: option.largest ? 'bytes' : 'created', direction: 'desc' } as const;
  const wanted = { filter: filterOf(option), sort };
  const found = await withServices(option, ({ cache }) => collect(cache.media, wanted, option.limit));
  if (option.json) {
    printJson(found.map(toJson));
    return;
  }
  if (found.length === 0) note('No media matches.');
  else printTable(['ID', 'TYPE', 'SIZE', 'CREATED', 'FILE', 'FROM'], found.map(cellsOf));
}

async function collect(
  media: MediaList,
  wanted: Parameters<MediaList['page']>[0],
  limit: number,
): Promise<MediaRecord[]> {
  const found: MediaRecord[] = [];
  const sized = (at: Omit<PageRequest, 'size'>) =>
    media.page(wanted, { ...at, size: Math.min(500, limit - found.length) });
  for await (const { rows } of eachPage(sized)) {
    found.push(...rows.map(({ row }) => row));
    if (found.length >= limit) break;
  }
  return found;
}

async function remove(
  mediaIds: string[],
  option: FilterOption & { yes?: true; count?: number },
): Promise<void> {
  const filter = filterOf(option);
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (mediaIds.length > 0 === hasFilter) {
    throw new CommandError('Give media IDs or filters, and not both.', EXIT.use);
  }
  const wrong = mediaIds.find((mediaId) => parseMediaId(mediaId) === null);
  if (wrong !== undefined) {
    throw new CommandError(
      `${JSON.stringify(wrong)} is no media ID; "vidimus media ls" shows them.`,
      EXIT.use,
    );
  }
  const selection: Selection<string, MediaFilter> = hasFilter ? { filter } : { keys: mediaIds };
  await withServices(option, async (services) => {
    const deletion = services.cache.deleteMedia;
    const matched = await deletion.count(selection);
    if (matched === 0) throw new CommandError('No media matches.');
    if (hasFilter && option.count !== undefined && option.count !== matched)
      throw new CommandError(`${matched} match, not ${option.count}.`);
    if (hasFilter && option.count === undefined && !option.yes) {
      if (option.json) printJson({ matched, deleted: false });
      else print(`${matched} match. Add --count ${matched} to delete them.`);
      return;
    }
    await runDeletion(services, deletion, { selection, matched, ...option });
  });
}

function filterOf(option: FilterOption): MediaFilter {
  const { search, owner, type, host, minBytes, olderThan, state, orphan } = option;
  return {
    search,
    owner,
    contentType: type,
    host,
    minBytes,
    createdBeforeTs: olderThan === undefined ? undefined : systemClock.now() - olderThan,
    fileState: state,
    isOrphan: orphan,
  };
}

function cellsOf(record: MediaRecord): string[] {
  const { mediaId, contentType, sizeBytes, createdTs, fileState, sourceUrl } = record;
  const from = withoutUsers(sourceUrl ?? '—');
  return [mediaId, contentType, formatBytes(sizeBytes), formatTs(createdTs), fileState, from];
}

function toJson(record: MediaRecord): object {
  return {
    media_id: record.mediaId,
    owner: record.owner,
    content_type: record.contentType,
    bytes: record.sizeBytes,
    width: record.width,
    height: record.height,
    created_ts: record.createdTs,
    source_url: record.sourceUrl === null ? null : withoutUsers(record.sourceUrl),
    file_name: record.uploadName,
    file_state: record.fileState,
  };
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Wanted: a whole number above 0.');
}

function readBytes(text: string): number {
  const bytes = parseSize(text);
  if (bytes !== null) return bytes;
  throw new InvalidArgumentError('Wanted: a number with k, M or G.');
}
