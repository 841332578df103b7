import { InvalidArgumentError } from 'commander';

import { RULE_LISTS } from '../../../core/operators/blocking/added-rule.js';
import { CommandError } from '../../exit.js';
import {
  at,
  list,
  mutation,
  SPAN,
  textAt,
  valuesAt,
  withValue,
  word,
  type Ask,
  type Operation,
  type Parameter,
  type Variables,
} from '../operation.js';

const RULES = `query { blockRules { id setting parts { component pattern } note standing revision origin hits lastHitAt } }`;
const UNDOABLE = 'query { undoableBlockRules { id revision } }';

const LIST: Parameter = {
  flags: '<list>',
  text: 'which list of the configuration it adds to',
  to: 'input.rule.list',
  choices: RULE_LISTS,
};
const ID: Parameter = { flags: '<id>', text: 'an ID from "vidimus rule ls"', to: 'input.id' };
const SAYS: readonly Parameter[] = [
  {
    flags: '--part <part...>',
    text: "of lists of URLs: 'hostname=*.example.org', 'path=^/a/'; all have to match",
    to: 'input.rule.parts',
    read: readPart,
  },
  {
    flags: '--range <range>',
    text: 'of lists of network addresses, such as 192.0.2.0/24',
    to: 'input.rule.range',
  },
  { flags: '--note <text>', text: 'why it is there', to: 'input.rule.note' },
  { flags: '--disable', text: 'keep it without effect', to: 'input.rule.enabled', value: false },
];

/** Rules, and what they refused. */
export const BLOCKING_OPERATIONS: readonly Operation[] = [
  {
    command: 'rule ls',
    text: 'list all rules in the order they are tried in',
    examples: ['-c config.yaml', '-c config.yaml --json'],
    document: RULES,
    shows: {
      columns: {
        ID: 'id',
        LIST: 'setting',
        RULE: (rule) =>
          valuesAt(rule, 'parts')
            .map((part) => `${textAt(part, 'component')}=${textAt(part, 'pattern')}`)
            .join(' '),
        STANDING: word('standing'),
        FROM: 'origin',
        HITS: 'hits',
        NOTE: 'note',
      },
      empty: 'There are no rules.',
    },
  },
  {
    command: 'rule hits',
    text: 'what was refused, newest first',
    examples: ['--host .example.org --since 24h -c config.yaml'],
    document: list('blockHits', 'id at stage url address ruleText requestId owner', 'HitFilter'),
    parameters: [
      { flags: '--host <name>', text: 'of one host; *.NAME those below it, .NAME both', to: 'filter.host' },
      { flags: '--search <text>', text: 'part of the address or the rule', to: 'filter.search' },
      ...SPAN,
    ],
    shows: {
      columns: { AT: 'at', STAGE: word('stage'), ADDRESS: 'url', RULE: 'ruleText', REQUEST: 'requestId' },
      empty: 'Nothing was refused.',
    },
  },
  {
    command: 'rule export',
    text: 'print the lists that operators added to, to be pasted into the file',
    examples: ['-c config.yaml'],
    document: 'query { blockRulesYaml }',
    shows: (answer) => String(answer).trimEnd().split('\n'),
  },
  {
    command: 'rule try',
    text: 'say what a rule would have done to the latest addresses; it is not made',
    examples: ["url_preview_url_blacklist --part 'hostname=*.example.org' -c config.yaml"],
    document: mutation(
      'tryBlockRule',
      `trial { looked unjudged isCut opensInternal newlyRefused { count examples } newlyAllowed { count examples } }`,
    ),
    parameters: [LIST, ...SAYS],
    shows: (answer) => [
      `Of ${textAt(answer, 'trial.looked')} addresses:`,
      ...sideLines('would be refused', at(answer, 'trial.newlyRefused')),
      ...sideLines('would be allowed', at(answer, 'trial.newlyAllowed')),
    ],
  },
  {
    command: 'rule add',
    text: 'add a rule, in effect at once on all instances',
    examples: [
      "url_preview_url_blacklist --part 'hostname=*.example.org' --note 'ticket 12' -c config.yaml",
      'url_preview_ip_range_blacklist --range 192.0.2.0/24 -c config.yaml',
    ],
    document: mutation('addBlockRule', 'rule { id standing }'),
    parameters: [LIST, ...SAYS],
    shows: standingLine,
  },
  {
    command: 'rule change',
    text: 'change, disable or enable a rule that operators added; what is not named stays',
    examples: ['RULE_ID --disable -c config.yaml', "RULE_ID --note 'ticket 13' -c config.yaml"],
    document: mutation('changeBlockRule', 'rule { id standing }'),
    parameters: [ID, ...SAYS, { flags: '--enable', text: 'let it count again', to: 'input.rule.enabled' }],
    complete: fillChange,
    shows: standingLine,
    lists: 'rule ls',
  },
  {
    command: 'rule rm',
    text: 'remove a rule that operators added',
    examples: ['RULE_ID -c config.yaml'],
    document: mutation('removeBlockRule', 'rule { id standing }'),
    parameters: [ID],
    complete: (variables, ask) => fillRevision(variables, { ask, document: RULES }),
    shows: () => 'Removed; "vidimus rule undo" brings it back for ten minutes.',
    lists: 'rule ls',
  },
  {
    command: 'rule undo',
    text: 'undo the last change of a rule, within ten minutes of it',
    examples: ['RULE_ID -c config.yaml'],
    document: mutation('undoBlockRule', 'rule { id standing }'),
    parameters: [ID],
    complete: (variables, ask) => fillRevision(variables, { ask, document: UNDOABLE }),
    shows: (answer) => (at(answer, 'rule') === null ? 'Undone: the rule is gone.' : standingLine(answer)),
    lists: 'rule ls',
  },
];

function readPart(text: string): { component: string; pattern: string } {
  const [, component, pattern] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  if (component !== undefined && pattern !== undefined)
    return { component: component.toUpperCase(), pattern };
  throw new InvalidArgumentError("Wanted: COMPONENT=PATTERN, such as 'hostname=*.example.org'.");
}

async function fillRevision(
  variables: Variables,
  { ask, document }: { ask: Ask; document: string },
): Promise<Variables> {
  const rule = await findRule(variables, { ask, document });
  return withValue(variables, 'input.revision', at(rule, 'revision'));
}

/** The rule as it is, with what was named instead. */
async function fillChange(variables: Variables, ask: Ask): Promise<Variables> {
  const rule = await findRule(variables, { ask, document: RULES });
  const parts = valuesAt(rule, 'parts').map((part) => ({
    component: textAt(part, 'component').toUpperCase(),
    pattern: textAt(part, 'pattern'),
  }));
  const [first] = parts;
  const says = first?.component === 'ADDRESS' ? { range: first.pattern } : { parts };
  const before = {
    list: textAt(rule, 'setting').toUpperCase(),
    enabled: at(rule, 'standing') !== 'DISABLED',
    note: textAt(rule, 'note'),
    ...says,
  };
  const named = at(variables, 'input.rule');
  const after = { ...before, ...(typeof named === 'object' ? named : {}) };
  return withValue(withValue(variables, 'input.revision', at(rule, 'revision')), 'input.rule', after);
}

async function findRule(
  variables: Variables,
  { ask, document }: { ask: Ask; document: string },
): Promise<unknown> {
  const id = at(variables, 'input.id');
  const rules = await ask(document, {});
  const rule = Array.isArray(rules) ? rules.find((each) => at(each, 'id') === id) : undefined;
  if (typeof at(rule, 'revision') === 'number') return rule;
  throw new CommandError(
    rule === undefined
      ? 'There is no such rule, or nothing of it to undo. "vidimus rule ls" shows what there is.'
      : `It stands in the configuration (${textAt(rule, 'origin')}); change it there, then "vidimus config reload".`,
  );
}

function standingLine(answer: unknown): string {
  return `${textAt(answer, 'rule.id')}: ${word('rule.standing')(answer)}`;
}

function sideLines(what: string, side: unknown): string[] {
  return [
    `  ${textAt(side, 'count')} ${what}`,
    ...valuesAt(side, 'examples').map((example) => `    ${String(example)}`),
  ];
}
