import { CommandError } from '../../terminal.js';
import {
  at,
  list,
  mutation,
  since,
  textAt,
  valuesAt,
  word,
  type Operation,
  type Parameter,
} from '../operation.js';

const NAME: Parameter = { flags: '<server>', text: 'server name', to: 'serverName' };
const SERVER: Parameter = {
  flags: '--server <name>',
  text: 'one server; *.NAME its subdomains, .NAME both',
  to: 'filter.server',
};

const ROTATION = `oldKeyId newKeyId safeAt obstacle problem oldSigningKeys
  step advice peerSnippets { software text }`;

export const KEY_OPERATIONS: readonly Operation[] = [
  {
    command: 'key ls',
    text: 'list the servers whose keys were requested',
    example: '--needs-look',
    document: list(
      'servers',
      'name keyCount worstState validUntil failCount failureCause backoffUntil needsLook',
      'ServerFilter',
    ),
    parameters: [
      SERVER,
      { flags: '--failing', text: 'whose last fetch failed', to: 'filter.failing' },
      { flags: '--needs-look', text: 'with an unacknowledged alarm', to: 'filter.needsLook' },
    ],
    shows: {
      columns: {
        SERVER: 'name',
        KEYS: 'keyCount',
        STATE: word('worstState'),
        'VALID UNTIL': 'validUntil',
        FAILED: 'failCount',
        CAUSE: word('failureCause'),
        'NEEDS ATTENTION': 'needsLook',
      },
      empty: 'No server matches.',
    },
  },
  {
    command: 'key events',
    text: 'list key events of all servers, newest first',
    example: '--server .example.org --since 7d',
    document: list(
      'keyEvents',
      'id at kind severity message keyId acknowledged serverName',
      'KeyEventFilter',
    ),
    parameters: [
      SERVER,
      { flags: '--open', text: 'unacknowledged alarms', to: 'filter.acknowledged', value: false },
      since('filter.after'),
    ],
    shows: {
      columns: { AT: 'at', SERVER: 'serverName', SEVERITY: word('severity'), EVENT: 'message' },
      empty: 'No event matches.',
    },
  },
  {
    command: 'key refresh',
    text: 'fetch the keys of a server now, regardless of back-off, and store them',
    example: 'example.org',
    document: mutation(
      'refreshServerKeys',
      '$serverName: String!',
      'fetch { outcome message durationMs } server { name validUntil }',
    ),
    parameters: [NAME],
    shows: (answer) => `${word('fetch.outcome')(answer)}; valid until ${textAt(answer, 'server.validUntil')}`,
  },
  {
    command: 'keys rotate',
    text: 'show the progress of our key rotation and the next step',
    document: `query { keyRotation { ${ROTATION} } }`,
    shows: rotationLines,
  },
  {
    command: 'keys rotate begin',
    text: 'add the new key to the file; both sign after the next start',
    document: mutation('beginKeyRotation', '', `rotation { ${ROTATION} }`),
    shows: (answer) => rotationLines(at(answer, 'rotation')),
  },
  {
    command: 'keys rotate retire',
    text: 'move the old key from the key file to a file of its own',
    document: mutation('retireSigningKey', '$keyId: String!', `rotation { ${ROTATION} }`),
    complete: async (_variables, ask) => {
      const keyId = at(await ask('query { keyRotation { oldKeyId } }', {}), 'oldKeyId');
      if (typeof keyId !== 'string') throw new CommandError('No key is being replaced.');
      return { keyId };
    },
    shows: (answer) => rotationLines(at(answer, 'rotation')),
  },
];

/** The steps at which a command follows. */
const NEXT: Readonly<Record<string, string>> = { MAKE: 'keys rotate begin', RETIRE: 'keys rotate retire' };

function rotationLines(rotation: unknown): string[] {
  const next = NEXT[textAt(rotation, 'step')];
  return [
    `Step: ${word('step')(rotation)}. ${textAt(rotation, 'advice')}`,
    ...['obstacle', 'problem', 'oldSigningKeys'].map((name) => textAt(rotation, name)).filter(Boolean),
    ...(next === undefined ? [] : [`Next: vidimus ${next}`]),
    ...valuesAt(rotation, 'peerSnippets').flatMap((snippet) => [
      `For peers with ${textAt(snippet, 'software')}:`,
      ...textAt(snippet, 'text').trimEnd().split('\n'),
    ]),
  ];
}
