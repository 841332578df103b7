import { mutation, textAt, valuesAt, type Operation, type Parameter } from '../operation.js';

const PATTERN: Parameter = {
  flags: '<pattern>',
  text: 'a host, .HOST for it and its subdomains, or a pattern such as *.example.org/ads/*',
  to: 'pattern',
};

/** Rules, and what they refused. */
export const BLOCKING_OPERATIONS: readonly Operation[] = [
  {
    command: 'rule ls',
    text: 'list all rules in the order they are tried in',
    examples: ['-c config.yaml', '-c config.yaml --json'],
    document: 'query { blockRules { id setting parts { component pattern } origin hits lastHitAt } }',
    shows: {
      columns: {
        ID: 'id',
        LIST: 'setting',
        RULE: (rule) =>
          valuesAt(rule, 'parts')
            .map((part) => `${textAt(part, 'component')}=${textAt(part, 'pattern')}`)
            .join(' '),
        FROM: 'origin',
        HITS: 'hits',
      },
      empty: 'There are no rules.',
    },
  },
  {
    command: 'rule try',
    text: 'say what a pattern would have refused; it is not added',
    examples: ['.example.org -c config.yaml'],
    document: mutation('tryBlockRule', '$pattern: String!', 'trial { tried refused examples }'),
    parameters: [PATTERN],
    shows: (answer) => [
      `${textAt(answer, 'trial.refused')} of the last ${textAt(answer, 'trial.tried')} addresses would be refused.`,
      ...valuesAt(answer, 'trial.examples').map((example) => `  ${String(example)}`),
    ],
  },
  {
    command: 'rule add',
    text: 'block a host or a pattern, in effect at once on all instances',
    examples: ['example.org -c config.yaml', "'*.example.org/ads/*' -c config.yaml"],
    document: mutation('addBlockRule', '$pattern: String!', 'rule { id }'),
    parameters: [PATTERN],
    shows: (answer) => `Added: ${textAt(answer, 'rule.id')}`,
  },
  {
    command: 'rule rm',
    text: 'remove a pattern that an operator blocked',
    examples: ['RULE_ID -c config.yaml'],
    document: mutation('removeBlockRule', '$id: ID!', 'rule { id }'),
    parameters: [{ flags: '<id>', text: 'an ID from "vidimus rule ls"', to: 'id' }],
    shows: () => 'Removed.',
    lists: 'rule ls',
  },
];
