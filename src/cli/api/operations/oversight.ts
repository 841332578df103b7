import { at, mutation, readNamedKey, textAt, type Operation, type Parameter } from '../operation.js';

const SERVER: Parameter = { flags: '<server>', text: 'server name', to: 'input.serverName' };
const KEYS: Parameter = {
  flags: '<key...>',
  text: 'KEY_ID=PUBLIC_KEY, such as ed25519:a_1=BASE64',
  to: 'input.keys',
  read: readNamedKey,
};

/** Watches, pins and other notaries. */
export const OVERSIGHT_OPERATIONS: readonly Operation[] = [
  ls('watch', 'WATCH', { SERVER: 'name', WEBHOOK: 'webhook', COMMAND: 'program' }),
  {
    command: 'watch set',
    text: 'tell a webhook of the key events of a server',
    examples: ['example.org oncall -c config.yaml'],
    document: mutation('setWatch', 'rule { name webhook }'),
    parameters: [
      SERVER,
      { flags: '<webhook>', text: 'a name from "vidimus webhook ls"', to: 'input.webhook' },
    ],
    shows: (answer) =>
      `${textAt(answer, 'rule.name')} is watched; ${textAt(answer, 'rule.webhook')} is told.`,
    lists: 'webhook ls',
  },
  remove('watch', 'removeWatch'),
  ls('pin', 'PIN', { SERVER: 'name', MODE: 'mode', KEYS: keyIds }),
  {
    command: 'pin set',
    text: 'name the keys that a server may list',
    examples: ['example.org ed25519:a_1=BASE64 --mode report -c config.yaml'],
    document: mutation('setPin', 'rule { name mode keys { keyId publicKey } }'),
    parameters: [
      SERVER,
      KEYS,
      {
        flags: '--mode <mode>',
        text: 'what happens to records that contradict it (refuse)',
        to: 'input.mode',
        choices: ['refuse', 'report'],
      },
    ],
    shows: (answer) => `${textAt(answer, 'rule.name')} is pinned to ${keyIds(at(answer, 'rule'))}.`,
  },
  remove('pin', 'removePin'),
  ls('notary', 'NOTARY', { NAME: 'name', ADDRESS: 'url', KEYS: keyIds }),
  {
    command: 'notary set',
    text: 'compare with another notary from now on',
    examples: ['notary.example https://notary.example ed25519:a_1=BASE64 -c config.yaml'],
    document: mutation('setNotary', 'rule { name url keys { keyId publicKey } }'),
    parameters: [SERVER, { flags: '<url>', text: 'where it is asked', to: 'input.url' }, KEYS],
    shows: (answer) => `${textAt(answer, 'rule.name')} is asked for comparison.`,
  },
  remove('notary', 'removeNotary'),
];

type Group = 'watch' | 'pin' | 'notary';

function ls(
  group: Group,
  kind: string,
  columns: Record<string, string | ((row: unknown) => string)>,
): Operation {
  return {
    command: `${group} ls`,
    text: 'list them, those of the configuration first',
    examples: ['-c config.yaml'],
    document: `query { oversightRules(kind: ${kind}) {
      name webhook program url mode keys { keyId publicKey } createdAt createdBy } }`,
    shows: { columns: { ...columns, 'SET BY': 'createdBy', SINCE: 'createdAt' }, empty: 'There is none.' },
  };
}

function remove(group: Group, name: string): Operation {
  return {
    command: `${group} rm`,
    text: 'remove one that an operator set',
    examples: ['example.org -c config.yaml'],
    document: mutation(name, 'rule { name }', 'RemoveOversightInput'),
    parameters: [SERVER],
    shows: () => 'Removed.',
    lists: `${group} ls`,
  };
}

function keyIds(rule: unknown): string {
  const keys = at(rule, 'keys');
  return Array.isArray(keys) ? keys.map((key) => textAt(key, 'keyId')).join(', ') : '';
}
