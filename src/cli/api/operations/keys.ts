import { printable } from '../../../core/base/text/printable.js';
import { CommandError } from '../../exit.js';
import { formatTs, note } from '../../terminal/print.js';
import { list, mutation, SPAN, textAt, valuesAt, withValue, word, type Operation } from '../operation.js';

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

/** Keys of other servers. */
export const KEY_OPERATIONS: readonly Operation[] = [
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
    examples: ['example.org --words "told by its admin on the phone" -c config.yaml'],
    document: mutation('acknowledgeKeyAlarm', 'server { name needsLook }'),
    parameters: [
      { flags: '<server>', text: 'server name', to: 'input.serverName' },
      { flags: '--words <text>', text: 'what was found, for audit', to: 'input.words' },
    ],
    variables: { input: { words: '' } },
    complete: async (variables, ask) => {
      const name = textAt(variables, 'input.serverName');
      const server = await ask(ALARMS, { name });
      const alarms = valuesAt(server, 'alarms');
      const [newest] = alarms;
      if (newest === undefined)
        throw new CommandError(
          `Nothing of ${name} needs a look. "vidimus key ls --needs-look" shows what does.`,
        );
      // Before they are acknowledged: nobody does so for what he was not shown.
      note(...alarms.map((alarm) => alarmLine(textAt(server, 'name'), alarm)));
      return withValue(variables, 'input.throughId', textAt(newest, 'id'));
    },
    shows: (answer) => `Acknowledged: ${textAt(answer, 'server.name')}`,
    lists: 'key ls --needs-look',
  },
];
