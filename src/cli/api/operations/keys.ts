import { printable } from '../../../core/base/text/printable.js';
import { CommandError } from '../../exit.js';
import { formatTs, note } from '../../terminal/print.js';
import {
  at,
  list,
  mutation,
  SPAN,
  stepLines,
  textAt,
  valuesAt,
  withValue,
  word,
  type Ask,
  type Operation,
  type Variables,
} from '../operation.js';

const ALARMS = 'query ($name: String!) { server(name: $name) { name alarms { id at kind message } } }';

const SERVER = {
  flags: '--server <name>',
  text: 'of one server; *.NAME those below it, .NAME both',
  to: 'filter.server',
};

function alarmLine(serverName: string, alarm: unknown): string {
  const time = formatTs(Date.parse(textAt(alarm, 'at')));
  return printable(`${serverName}, ${time}, ${word('kind')(alarm)}: ${textAt(alarm, 'message')}`);
}

const ROTATION = `oldKeyId newKeyId safeAt obstacle problem oldSigningKeys
  steps { state title sentence command at } peerSnippets { software text }`;

/** Keys of other servers, and the rotation of ours. */
export const KEY_OPERATIONS: readonly Operation[] = [
  {
    command: 'key diagnose',
    text: 'fetch the keys of a server step by step, and say what to do where it fails',
    examples: ['example.org -c config.yaml', 'example.org ed25519:a_1 -c config.yaml'],
    document: mutation(
      'diagnoseServer',
      '$keyId: String, $serverName: String!',
      'serverName ok checkedAt resolvedTo published steps { name title status durationMs message advice }',
    ),
    parameters: [
      { flags: '<server>', text: 'server name', to: 'serverName' },
      { flags: '[key-id]', text: 'tell whether the record lists this key', to: 'keyId' },
    ],
    shows: (answer) => [
      ...stepLines(answer, 'steps'),
      at(answer, 'ok') === true ? 'The keys can be fetched.' : 'The keys cannot be fetched.',
    ],
  },
  {
    command: 'key refresh',
    text: 'fetch the keys of a server now, regardless of back-off, and store them',
    examples: ['example.org -c config.yaml'],
    document: mutation(
      'refreshServerKeys',
      '$keyIds: [String!], $minimumValidUntilMs: SafeInt, $serverName: String!',
      'fetch { outcome message durationMs } server { name validUntil }',
    ),
    parameters: [{ flags: '<server>', text: 'server name', to: 'serverName' }],
    shows: (answer) => `${word('fetch.outcome')(answer)}; valid until ${textAt(answer, 'server.validUntil')}`,
  },
  {
    command: 'key delete',
    text: 'delete the stored records of a server, up to a hundred at once',
    examples: ['example.org -c config.yaml'],
    document: mutation('deleteKeyRecords', '$ids: [ID!]!', 'matched deletedIds'),
    parameters: [{ flags: '<server>', text: 'server name', to: 'ids' }],
    complete: recordsToDelete,
    shows: (answer) => `Deleted ${textAt(answer, 'matched')}.`,
    lists: 'key ls',
  },
  {
    command: 'keys rotate',
    text: 'replace our signing key: how far it is, and what to do next',
    examples: ['-c config.yaml', '-c config.yaml --json'],
    document: `query { keyRotation { ${ROTATION} } }`,
    shows: (answer) => rotationLines(answer),
  },
  {
    command: 'keys rotate begin',
    text: 'add the new key to the file; both sign after the next start',
    examples: ['-c config.yaml'],
    document: mutation('beginKeyRotation', '$version: String', `rotation { ${ROTATION} }`),
    parameters: [
      {
        flags: '--version <version>',
        text: 'the part after "ed25519:" of the key ID (a_ and five letters)',
        to: 'version',
      },
    ],
    shows: (answer) => rotationLines(at(answer, 'rotation')),
  },
  {
    command: 'keys rotate retire',
    text: 'take the old key out of the file, into one beside it',
    examples: ['-c config.yaml'],
    document: mutation('retireSigningKey', '$keyId: String!', `rotation { ${ROTATION} }`),
    complete: async (_variables, ask) => {
      const keyId = at(await ask('query { keyRotation { oldKeyId } }', {}), 'oldKeyId');
      if (typeof keyId !== 'string') throw new CommandError('No key is being replaced.');
      return { keyId };
    },
    shows: (answer) => rotationLines(at(answer, 'rotation')),
  },
  {
    command: 'key ls',
    text: 'list the servers whose keys were asked for',
    examples: ['--needs-look -c config.yaml', '--failing --json -c config.yaml'],
    document: list(
      'servers',
      'name keyCount worstState validUntil failCount failureCause backoffUntil needsLook',
      'ServerFilter',
    ),
    parameters: [
      { flags: '--search <text>', text: 'part of the name', to: 'filter.search' },
      SERVER,
      { flags: '--failing', text: 'whose last fetch failed', to: 'filter.failing' },
      { flags: '--needs-look', text: 'with an alarm that nobody has acknowledged', to: 'filter.needsLook' },
      {
        flags: '--state <state>',
        text: 'how their keys stand',
        to: 'filter.state',
        choices: ['fresh', 'due', 'expired'],
      },
    ],
    shows: {
      columns: {
        SERVER: 'name',
        KEYS: 'keyCount',
        STATE: word('worstState'),
        'VALID UNTIL': 'validUntil',
        FAILED: 'failCount',
        CAUSE: word('failureCause'),
        'NEEDS A LOOK': 'needsLook',
      },
      empty: 'No server matches.',
    },
  },
  {
    command: 'key events',
    text: 'what happened to the keys of all servers, newest first',
    examples: ['--open -c config.yaml', '--server .example.org --since 7d --json -c config.yaml'],
    document: list(
      'keyEvents',
      'id at kind severity message keyId acknowledged server { name }',
      'KeyEventFilter',
    ),
    parameters: [
      SERVER,
      {
        flags: '--open',
        text: 'alarms that nobody has acknowledged',
        to: 'filter.acknowledged',
        value: false,
      },
      ...SPAN,
      { flags: '--search <text>', text: 'part of what it says', to: 'filter.search' },
    ],
    shows: {
      columns: { AT: 'at', SERVER: 'server.name', SEVERITY: word('severity'), WHAT: 'message' },
      empty: 'No event matches.',
    },
  },
  {
    command: 'key acknowledge',
    text: 'say that somebody has looked at the alarms of a server, which are shown, and what was found',
    examples: ['example.org --reason "told by its admin on the phone" -c config.yaml'],
    document: mutation(
      'acknowledgeKeyAlarm',
      '$serverName: String!, $throughId: ID!, $reason: String!',
      'server { name needsLook }',
    ),
    parameters: [
      { flags: '<server>', text: 'server name', to: 'serverName' },
      { flags: '--reason <text>', text: 'why it is safe', to: 'reason' },
    ],
    variables: { reason: '' },
    complete: async (variables, ask) => {
      const name = textAt(variables, 'serverName');
      const server = await ask(ALARMS, { name });
      const alarms = valuesAt(server, 'alarms');
      const [newest] = alarms;
      if (newest === undefined)
        throw new CommandError(
          `Nothing of ${name} needs a look. "vidimus key ls --needs-look" shows what does.`,
        );
      // Before they are acknowledged: nobody does so for what he was not shown.
      note(...alarms.map((alarm) => alarmLine(textAt(server, 'name'), alarm)));
      return withValue(variables, 'throughId', textAt(newest, 'id'));
    },
    shows: (answer) => `Acknowledged: ${textAt(answer, 'server.name')}`,
    lists: 'key ls --needs-look',
  },
];

/** The API deletes records by their IDs. */
async function recordsToDelete(variables: Variables, ask: Ask): Promise<Variables> {
  const document = 'query ($name: String!) { server(name: $name) { records(first: 100) { nodes { id } } } }';
  const server = await ask(document, { name: at(variables, 'ids') });
  const ids = valuesAt(server, 'records.nodes').map((node) => at(node, 'id'));
  if (ids.length === 0) throw new CommandError('No record of this server is stored.');
  return { ids };
}

const MARKS: Readonly<Record<string, string>> = { DONE: '✓', NOW: '→' };

function rotationLines(rotation: unknown): string[] {
  const steps = valuesAt(rotation, 'steps');
  const now = steps.find((step) => at(step, 'state') === 'NOW');
  return [
    ...steps.flatMap((step) => [
      `${MARKS[textAt(step, 'state')] ?? ' '} ${textAt(step, 'title')}`,
      ...(at(step, 'state') === 'LATER' ? [] : [`  ${textAt(step, 'sentence')}`]),
    ]),
    ...['obstacle', 'problem', 'oldSigningKeys'].map((name) => textAt(rotation, name)).filter(Boolean),
    ...(textAt(now, 'command') === '' ? [] : [`Next: vidimus ${textAt(now, 'command')}`]),
    ...valuesAt(rotation, 'peerSnippets').flatMap((snippet) => [
      `For peers with ${textAt(snippet, 'software')}:`,
      ...textAt(snippet, 'text').trimEnd().split('\n'),
    ]),
  ];
}
