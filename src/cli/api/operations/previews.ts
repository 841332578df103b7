import { CommandError, EXIT } from '../../errors.js';
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
} from '../operation.js';
import { runLine } from '../run-operation.js';

const FILTER: readonly Parameter[] = [
  { flags: '--host <name>', text: 'of one host; *.NAME below it, .NAME both', to: 'filter.host' },
  { flags: '--search <text>', text: 'part of the URL or the title', to: 'filter.search' },
  { flags: '--empty', text: 'without content', to: 'filter.empty' },
  {
    flags: '--since <time>',
    text: 'such as 36h or 2026-11-20',
    to: 'filter.createdAfter',
    read: readTime,
  },
  { flags: '--until <time>', text: 'made before', to: 'filter.createdBefore', read: readTime },
];
const PATTERN: Parameter = {
  flags: '<pattern>',
  text: 'a host, .HOST with its subdomains, or *.example.org/ads/*',
  to: 'pattern',
};

/** Previews, and the rules that block them. */
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
    parameters: FILTER,
    shows: {
      columns: { ID: 'id', MADE: 'createdAt', STATE: word('state'), STATUS: 'responseCode', URL: 'url' },
      empty: 'No preview matches.',
    },
  },
  {
    command: 'previews rm',
    text: 'delete stored previews with their pages and images',
    example: '--host .example.org --count 47',
    document: mutation(
      'deletePreviews',
      '$dryRun: Boolean! = false, $expectedCount: Int, $filter: PreviewFilter!',
      'matched deleted freedBytes run { id }',
    ),
    parameters: [
      { flags: '[id...]', text: 'IDs from "vidimus previews ls"', to: 'filter.ids' },
      ...FILTER,
      {
        flags: '--count <count>',
        text: 'delete by filter if so many match; without, only count',
        to: 'expectedCount',
        read: readNumber,
      },
    ],
    complete: async (variables) => {
      if (at(variables, 'filter') === undefined)
        throw new CommandError('Give IDs, or say which: see --help.', EXIT.use);
      const ids = new Set(valuesAt(variables, 'filter.ids')).size;
      const count = at(variables, 'expectedCount') ?? (ids === 0 ? undefined : ids);
      const counted = withValue(variables, 'expectedCount', count);
      return withValue(counted, 'dryRun', count === undefined);
    },
    shows: deletionLine,
  },
  {
    command: 'rule ls',
    text: 'list all block rules in the order in which they are tried',
    document: 'query { blockRules { id setting parts { component pattern } origin hits lastHitAt } }',
    shows: {
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

function deletionLine(answer: unknown): string {
  const run = at(answer, 'run');
  if (run !== null) return runLine(run);
  const deleted = textAt(answer, 'deleted');
  if (deleted !== '0') return `Deleted ${deleted}, ${textAt(answer, 'freedBytes')} bytes.`;
  const matched = textAt(answer, 'matched');
  return matched === '0' ? 'Nothing matches.' : `${matched} match. Add --count ${matched} to delete them.`;
}
