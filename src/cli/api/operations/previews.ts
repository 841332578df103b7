import { InvalidArgumentError } from 'commander';

import { parseSize } from '../../../config/kinds/units.js';
import { followRun, runLine } from '../follow-run.js';
import {
  at,
  list,
  mutation,
  readNumber,
  readTime,
  stepLines,
  textAt,
  valuesAt,
  withValue,
  word,
  type Operation,
  type Parameter,
  type Variables,
} from '../operation.js';

const IDS: Parameter = { flags: '<id...>', text: 'IDs from "vidimus previews ls"', to: 'ids' };
const COUNT: Parameter = {
  flags: '--count <count>',
  text: 'delete by filter, if so many match; without it only their number is said',
  to: 'expectedCount',
  read: readNumber,
};
const HOST = 'of one host; *.NAME those below it, .NAME both';

export const PREVIEW_OPERATIONS: readonly Operation[] = [
  {
    command: 'preview',
    text: 'preview a URL as a client would get it, with every stage; nothing is kept',
    examples: [
      "'https://example.org/page?q=1' -c config.yaml",
      'https://example.org/ --fresh --json -c config.yaml',
    ],
    document: mutation(
      'tryPreview',
      '$acceptLanguage: [String!], $ignoreCaches: Boolean! = false, $of: ID, $store: Boolean! = false, $ts: SafeInt, $url: String!',
      `trace { url finalUrl status source durationMs body steps { name title status durationMs message advice }
        properties { key value } refusals { url stage address rule { source } } }`,
    ),
    parameters: [
      { flags: '<url>', text: 'the URL, in quotation marks', to: 'url' },
      {
        flags: '--fresh',
        text: 'make it anew even where a stored preview would answer',
        to: 'ignoreCaches',
      },
      { flags: '--ts <ms>', text: 'the time a client would state, POSIX ms', to: 'ts', read: readTs },
    ],
    shows: (answer) => [
      ...stepLines(answer, 'trace.steps'),
      `status ${textAt(answer, 'trace.status')}`,
      ...valuesAt(answer, 'trace.properties').map((one) => `${textAt(one, 'key')}: ${textAt(one, 'value')}`),
    ],
  },
  {
    command: 'media ls',
    text: 'list stored pages and images, newest first',
    examples: ['--type image/ --min-bytes 1M -c config.yaml'],
    document: list(
      'media',
      'id mediaId contentType bytes sourceUrl owner fileState createdAt deletesAt',
      'MediaFilter',
    ),
    parameters: mediaFilters('filter'),
    shows: {
      columns: {
        ID: 'id',
        MADE: 'createdAt',
        TYPE: 'contentType',
        BYTES: 'bytes',
        STATE: word('fileState'),
        ADDRESS: 'sourceUrl',
      },
      empty: 'No media matches.',
    },
  },
  {
    command: 'media rm',
    text: 'delete media with its thumbnails; previews that use it are forgotten',
    examples: ['MEDIA_ID -c config.yaml', '--host .example.org --count 47 -c config.yaml'],
    document: mutation(
      'deleteMedia',
      '$dryRun: Boolean! = false, $expectedCount: Int, $filter: MediaFilter, $ids: [ID!]',
      'matched deletedIds freedBytes run { id }',
    ),
    parameters: [
      { ...IDS, flags: '[id...]', text: 'IDs from "vidimus media ls"' },
      ...mediaFilters('filter'),
      COUNT,
    ],
    complete: countsFirst,
    follow: followRun,
    shows: deletionLine,
    lists: 'media ls',
  },
  {
    command: 'previews ls',
    text: 'list stored previews, newest first',
    examples: ['--host .example.org -c config.yaml', '--empty --since 24h --json -c config.yaml'],
    document: list('previews', 'id url title host state responseCode createdAt expiresAt', 'PreviewFilter'),
    parameters: filters('filter'),
    shows: {
      columns: { ID: 'id', MADE: 'createdAt', STATE: word('state'), STATUS: 'responseCode', ADDRESS: 'url' },
      empty: 'No preview matches.',
    },
  },
  {
    command: 'previews rm',
    text: 'delete stored previews with their pages and images, and what memory holds of them',
    examples: [
      'PREVIEW_ID -c config.yaml',
      '--host .example.org -c config.yaml',
      '--host .example.org --count 47 -c config.yaml',
    ],
    document: mutation(
      'deletePreviews',
      '$dryRun: Boolean! = false, $expectedCount: Int, $filter: PreviewFilter, $ids: [ID!], $withMedia: Boolean! = true',
      'matched deletedIds freedBytes run { id }',
    ),
    parameters: [
      { ...IDS, flags: '[id...]' },
      ...filters('filter'),
      { flags: '--keep-media', text: 'leave pages and images', to: 'withMedia', value: false },
      COUNT,
    ],
    complete: countsFirst,
    follow: followRun,
    shows: deletionLine,
    lists: 'previews ls',
  },
  {
    command: 'previews forget',
    text: 'forget what memory holds, so that the next client makes it anew',
    examples: ['--failed -c config.yaml', 'MEMORY_ID -c config.yaml', '-c config.yaml'],
    document: mutation(
      'forgetMemoryPreviews',
      '$failedOnly: Boolean! = false, $ids: [ID!]',
      'matched deletedIds',
    ),
    parameters: [
      { flags: '[id...]', text: 'IDs of the API (memoryPreviews); without, all', to: 'ids' },
      { flags: '--failed', text: 'failures alone', to: 'failedOnly' },
    ],
    shows: (answer) => `Forgot ${textAt(answer, 'matched')}.`,
  },
];

function filters(to: string): Parameter[] {
  return [
    { flags: '--host <name>', text: HOST, to: `${to}.host` },
    { flags: '--search <text>', text: 'part of the address or the title', to: `${to}.search` },
    { flags: '--state <state>', text: 'how they stand', to: `${to}.state`, choices: ['fresh', 'expired'] },
    {
      flags: '--status <status>',
      text: 'the status of the page',
      to: `${to}.responseCode`,
      read: readNumber,
    },
    { flags: '--empty', text: 'that came out empty', to: `${to}.empty` },
    {
      flags: '--since <time>',
      text: 'made not before, such as 36h or 2026-11-20',
      to: `${to}.createdAfter`,
      read: readTime,
    },
    { flags: '--until <time>', text: 'made before that', to: `${to}.createdBefore`, read: readTime },
  ];
}

function mediaFilters(to: string): Parameter[] {
  return [
    { flags: '--host <name>', text: HOST, to: `${to}.host` },
    { flags: '--search <text>', text: 'part of the ID, the address or the file name', to: `${to}.search` },
    { flags: '--owner <user-id>', text: 'the user whose preview made it', to: `${to}.owner` },
    { flags: '--type <type>', text: 'media type or its beginning, such as image/', to: `${to}.contentType` },
    {
      flags: '--min-bytes <size>',
      text: 'at least so large, such as 500k or 2M',
      to: `${to}.minBytes`,
      read: readBytes,
    },
    {
      flags: '--state <state>',
      text: 'the state of its file',
      to: `${to}.fileState`,
      choices: ['present', 'missing', 'removed'],
    },
    { flags: '--orphan', text: 'used by no stored preview', to: `${to}.orphan` },
    { flags: '--until <time>', text: 'made before, such as 30d', to: `${to}.createdBefore`, read: readTime },
  ];
}

function readBytes(text: string): number {
  const bytes = parseSize(text);
  if (bytes !== null) return bytes;
  throw new InvalidArgumentError('Wanted: a size such as 500k or 2M.');
}

function readTs(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Wanted: POSIX time in milliseconds.');
}

/** A deletion by filter says the number of matches, unless the number is given. */
function countsFirst(variables: Variables): Promise<Variables> {
  const isCount = at(variables, 'filter') !== undefined && at(variables, 'expectedCount') === undefined;
  return Promise.resolve(withValue(variables, 'dryRun', isCount));
}

function deletionLine(answer: unknown): string {
  const matched = textAt(answer, 'matched');
  const run = at(answer, 'run');
  if (run !== null) return runLine(run);
  const deleted = valuesAt(answer, 'deletedIds').length;
  if (deleted > 0) return `Deleted ${deleted}, ${textAt(answer, 'freedBytes')} bytes.`;
  return matched === '0' ? 'Nothing matches.' : `${matched} match. Add --count ${matched} to delete them.`;
}
