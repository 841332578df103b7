import {
  at,
  list,
  mutation,
  readNumber,
  readTime,
  textAt,
  valuesAt,
  withValue,
  word,
  type Operation,
  type Parameter,
} from '../operation.js';

const IDS: Parameter = { flags: '<id...>', text: 'IDs from "vidimus previews ls"', to: 'input.ids' };
const HOST = 'of one host; *.NAME those below it, .NAME both';

export const PREVIEW_OPERATIONS: readonly Operation[] = [
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
    document: mutation('deletePreviews', 'matched deletedIds freedBytes run { id }'),
    parameters: [
      { ...IDS, flags: '[id...]' },
      ...filters('input.filter'),
      { flags: '--keep-media', text: 'leave pages and images', to: 'input.withMedia', value: false },
      {
        flags: '--count <count>',
        text: 'delete by filter, if so many match; without it only their number is said',
        to: 'input.expectedCount',
        read: readNumber,
      },
    ],
    complete: async (variables) => {
      const isCount =
        at(variables, 'input.filter') !== undefined && at(variables, 'input.expectedCount') === undefined;
      return withValue(variables, 'input.dryRun', isCount);
    },
    shows: deletionLine,
    lists: 'previews ls',
  },
  {
    command: 'previews refresh',
    text: 'make stored previews anew, in the background',
    examples: ['PREVIEW_ID -c config.yaml'],
    document: mutation('refreshPreviews', 'run { id job { name } }'),
    parameters: [IDS],
    shows: (answer) => `Started as run ${textAt(answer, 'run.id')} of ${textAt(answer, 'run.job.name')}.`,
    lists: 'previews ls',
  },
  {
    command: 'previews reveal',
    text: 'the whole address of a preview, a refusal or a media, user name and password too; audit says who asked',
    examples: ['PREVIEW_ID -c config.yaml'],
    document: mutation('revealUrl', 'url'),
    parameters: [{ flags: '<id>', text: 'its ID', to: 'input.id' }],
    shows: (answer) => textAt(answer, 'url'),
    lists: 'previews ls',
  },
  {
    command: 'previews memory',
    text: 'list what all instances remember in memory, failures first',
    examples: ['--state failed -c config.yaml'],
    document: list(
      'memoryPreviews',
      'id url state status errcode message startedAt expiresAt instance',
      'MemoryFilter',
    ),
    parameters: [
      { flags: '--host <name>', text: HOST, to: 'filter.host' },
      { flags: '--search <text>', text: 'part of the address', to: 'filter.search' },
      {
        flags: '--state <state>',
        text: 'how they stand',
        to: 'filter.state',
        choices: ['failed', 'ready', 'running'],
      },
    ],
    shows: {
      columns: {
        ID: 'id',
        STATE: word('state'),
        SINCE: 'startedAt',
        STATUS: 'status',
        ADDRESS: 'url',
        '': 'message',
      },
      empty: 'Nothing is remembered.',
    },
  },
  {
    command: 'previews forget',
    text: 'forget what memory holds, so that the next client makes it anew',
    examples: ['--failed -c config.yaml', 'MEMORY_ID -c config.yaml', '-c config.yaml'],
    document: mutation('forgetMemoryPreviews', 'matched deletedIds'),
    parameters: [
      { flags: '[id...]', text: 'IDs from "vidimus previews memory"; without, all', to: 'input.ids' },
      { flags: '--failed', text: 'failures alone', to: 'input.failedOnly' },
    ],
    variables: { input: {} },
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

function deletionLine(answer: unknown): string {
  const matched = textAt(answer, 'matched');
  const run = textAt(answer, 'run.id');
  if (run !== '') return `Deleting ${matched} in the background, as run ${run}.`;
  const deleted = valuesAt(answer, 'deletedIds').length;
  if (deleted > 0) return `Deleted ${deleted}, ${textAt(answer, 'freedBytes')} bytes.`;
  return matched === '0' ? 'No preview matches.' : `${matched} match. Add --count ${matched} to delete them.`;
}
