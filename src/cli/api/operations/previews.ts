import { CommandError, EXIT } from '../../terminal.js';
import {
  at,
  list,
  mutation,
  readNumber,
  readTime,
  runLine,
  stepLines,
  since,
  textAt,
  valuesAt,
  withValue,
  word,
  type Operation,
  type Parameter,
} from '../operation.js';

const USER: Parameter = { flags: '--user <id>', text: 'stored for one user', to: 'filter.owner' };
const FILTER: readonly Parameter[] = [
  USER,
  { flags: '--host <name>', text: 'one host; *.NAME its subdomains, .NAME both', to: 'filter.host' },
  { flags: '--search <text>', text: 'part of the URL, or of a title or file name', to: 'filter.search' },
  since('filter.createdAfter'),
  { flags: '--until <time>', text: 'stored before', to: 'filter.createdBefore', read: readTime },
];
const PREVIEW_FILTER: readonly Parameter[] = [
  ...FILTER,
  { flags: '--empty', text: 'without content', to: 'filter.empty' },
];
const MEDIA_FILTER: readonly Parameter[] = [
  ...FILTER,
  { flags: '--type <type>', text: 'of one media type, such as image/', to: 'filter.contentType' },
];
const PATTERN: Parameter = {
  flags: '<pattern>',
  text: 'a host, .HOST with its subdomains, or *.example.org/ads/*',
  to: 'pattern',
};

export const PREVIEW_OPERATIONS: readonly Operation[] = [
  {
    command: 'preview',
    text: 'preview a URL and show every stage',
    example: "'https://example.org/page?q=1'",
    document: mutation(
      'tryPreview',
      '$ignoreCaches: Boolean! = false, $url: String!',
      `trace { url finalUrl status source durationMs body steps { name title status durationMs message advice }
        properties { key value } }`,
    ),
    parameters: [
      { flags: '<url>', text: 'the URL, in quotation marks', to: 'url' },
      { flags: '--fresh', text: 'ignore stored previews', to: 'ignoreCaches' },
    ],
    shows: (answer) => [
      ...stepLines(answer, 'trace.steps'),
      `status ${textAt(answer, 'trace.status')}`,
      ...valuesAt(answer, 'trace.properties').map((one) => `${textAt(one, 'key')}: ${textAt(one, 'value')}`),
    ],
  },
  {
    command: 'previews ls',
    text: 'list stored previews, newest first',
    example: '--host .example.org --since 24h',
    document: list('previews', 'id url title host state responseCode createdAt expiresAt', 'PreviewFilter'),
    parameters: PREVIEW_FILTER,
    shows: {
      columns: { ID: 'id', MADE: 'createdAt', STATE: word('state'), STATUS: 'responseCode', URL: 'url' },
      empty: 'No preview matches.',
    },
  },
  {
    command: 'previews rm',
    text: 'delete stored previews with their pages and images',
    example: '--host .example.org --count 47',
    ...deletionOf('deletePreviews', 'PreviewFilter', PREVIEW_FILTER),
  },
  {
    command: 'media ls',
    text: 'list stored pages and images, newest first',
    example: '--user @alice:example.org',
    document: list(
      'media',
      'id mediaId owner contentType bytes sourceUrl createdAt fileState',
      'MediaFilter',
    ),
    parameters: MEDIA_FILTER,
    shows: {
      columns: {
        ID: 'id',
        STORED: 'createdAt',
        USER: 'owner',
        TYPE: 'contentType',
        BYTES: 'bytes',
        URL: 'sourceUrl',
      },
      empty: 'No media matches.',
    },
  },
  {
    command: 'media rm',
    text: 'delete stored pages and images, and the previews that use them',
    example: '--user @alice:example.org --count 47',
    ...deletionOf('deleteMedia', 'MediaFilter', MEDIA_FILTER),
  },
  {
    command: 'rule ls',
    text: 'list all block rules, those that operators added first',
    document:
      'query { blockRules { id setting parts { component pattern } origin createdBy hits lastHitAt } }',
    shows: {
      // Operators remove only what they added, and some hundred rules would hide it.
      order: (rules) => rules.toSorted((one, other) => Number(isAdded(other)) - Number(isAdded(one))),
      columns: {
        ID: 'id',
        SETTING: 'setting',
        RULE: (rule) =>
          valuesAt(rule, 'parts')
            .map((part) => `${textAt(part, 'component')}=${textAt(part, 'pattern')}`)
            .join(' '),
        ORIGIN: 'origin',
        HITS: 'hits',
      },
      empty: 'There are no rules.',
    },
  },
  {
    command: 'rule add',
    text: 'block a host or a pattern, at once on all instances',
    example: "'*.example.org/ads/*'",
    document: mutation('addBlockRule', '$pattern: String!', 'rule { id }'),
    parameters: [PATTERN],
    shows: (answer) => `Added: ${textAt(answer, 'rule.id')}`,
  },
  {
    command: 'rule rm',
    text: 'remove a pattern that an operator blocked',
    example: 'RULE_ID',
    document: mutation('removeBlockRule', '$id: ID!', 'rule { id }'),
    parameters: [{ flags: '<id>', text: 'an ID from "vidimus rule ls"', to: 'id' }],
    shows: () => 'Removed.',
  },
];

const isAdded = (rule: unknown): boolean => at(rule, 'createdBy') !== null;

/** The part of a command that deletes by IDs, or by filter once the count is known. */
function deletionOf(
  name: string,
  filter: string,
  parameters: readonly Parameter[],
): Pick<Operation, 'document' | 'parameters' | 'complete' | 'shows'> {
  return {
    document: mutation(
      name,
      `$dryRun: Boolean! = false, $expectedCount: Int, $filter: ${filter}!`,
      'matched deleted freedBytes run { id }',
    ),
    parameters: [
      { flags: '[id...]', text: 'IDs from the "ls" command', to: 'filter.ids' },
      ...parameters,
      {
        flags: '--count <count>',
        text: 'number of matches to delete; without it, only count them',
        to: 'expectedCount',
        read: readNumber,
      },
    ],
    complete: async (variables) => {
      if (at(variables, 'filter') === undefined)
        throw new CommandError('Give IDs or a filter: see --help.', EXIT.use);
      const ids = new Set(valuesAt(variables, 'filter.ids')).size;
      const count = at(variables, 'expectedCount') ?? (ids === 0 ? undefined : ids);
      const counted = withValue(variables, 'expectedCount', count);
      return withValue(counted, 'dryRun', count === undefined);
    },
    shows: deletionLine,
  };
}

function deletionLine(answer: unknown): string {
  const run = at(answer, 'run');
  if (run !== null) return runLine(run);
  const deleted = textAt(answer, 'deleted');
  if (deleted !== '0') return `Deleted ${deleted}, ${textAt(answer, 'freedBytes')} bytes.`;
  const matched = textAt(answer, 'matched');
  return matched === '0' ? 'Nothing matches.' : `${matched} match. Add --count ${matched} to delete them.`;
}
