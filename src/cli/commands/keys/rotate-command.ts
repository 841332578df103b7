import { InvalidArgumentError, type Command } from 'commander';

import type { CommandServices } from '../../../composition/services.js';
import { isKeyVersion } from '../../../core/notary/signing/signing-key-text.js';
import type { RotationView } from '../../../core/operators/own-keys/key-rotation.js';
import { describeRotation } from '../../../core/operators/own-keys/rotation-words.js';
import { audited } from '../../audited.js';
import { configOption, type JsonOption } from '../../configuration.js';
import { withServices } from '../../store-session.js';
import { print, printJson } from '../../terminal/print.js';

/** `vidimus keys rotate`, `… begin` and `… retire`. */
export function addRotateCommand(keys: Command): void {
  const rotate = keys
    .command('rotate')
    .description('replace our signing key: how far it is, and what to do next')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(show);
  rotate
    .command('begin')
    .description('add the new key to the file; both sign after the next start')
    .addOption(configOption())
    .option('--version <version>', 'what follows "ed25519:" in the key ID (a_ and five letters)', readVersion)
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(begin);
  rotate
    .command('retire')
    .description('take the old key out of the file, into one beside it')
    .addOption(configOption())
    .option('--anyway', 'even while peers may hold a record without the new key')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(retire);
}

/** What follows `ed25519:`, as an option. */
export function readVersion(text: string): string {
  if (isKeyVersion(text)) return text;
  throw new InvalidArgumentError('Wanted: letters, digits and _ only, at most 64.');
}

const EXAMPLES = `
Nothing is remembered but the key file and the database, so it goes on wherever it was left. A key file is never
overwritten with other keys: new ones are added, old ones move to a file of their own. Every change is in audit.

Examples:
  $ vidimus keys rotate --config config.yaml
  $ vidimus keys rotate begin -c config.yaml
  $ vidimus keys rotate retire -c config.yaml`;

async function show(option: JsonOption): Promise<void> {
  printRotation(await withServices(option, ({ keys }) => keys.rotation.view()), option);
}

async function begin(option: JsonOption & { version?: string }): Promise<void> {
  await change(option, 'beginKeyRotation', async ({ keys }) => {
    const { keyId, publicKeyBase64: publicKey } = await keys.rotation.begin(option.version);
    return { keyId, summary: `Added the signing key ${keyId} to the key file`, detail: { publicKey } };
  });
}

async function retire(option: JsonOption & { anyway?: true }): Promise<void> {
  await change(option, 'retireSigningKey', async ({ keys }) => {
    const { keyId, keptPath } = await keys.rotation.retire(option.anyway ?? false);
    return { keyId, summary: `Took the signing key ${keyId} out of the key file`, detail: { keptPath } };
  });
}

interface Changed {
  keyId: string;
  summary: string;
  detail: Record<string, string>;
}

/** Does a step, writes it into the audit table, and shows what comes next. */
async function change(
  option: JsonOption,
  action: string,
  work: (services: CommandServices) => Promise<Changed>,
): Promise<void> {
  const subject = { action, targetType: 'SigningKey', summary: action };
  const view = await withServices(option, async (services) => {
    await audited(services.access.auditLog, subject, async (note) => {
      const { keyId, ...rest } = await work(services);
      note.about({ targetId: keyId, ...rest });
    });
    return services.keys.rotation.view();
  });
  printRotation(view, option);
}

const MARKS = { done: '✓', now: '→', later: ' ' } as const;

function printRotation(view: RotationView, { json }: JsonOption): void {
  const steps = describeRotation(view);
  if (json) {
    printJson(asJson(view));
    return;
  }
  if (view.newKey !== null)
    print(`${view.newKey.keyId} takes the place of ${view.oldKey?.keyId ?? 'none'}`, '');
  for (const { state, title, sentence } of steps)
    print(`${MARKS[state]} ${title}`, ...(state === 'later' ? [] : [`  ${sentence}`]));
  const command = steps.find(({ state }) => state === 'now')?.command ?? null;
  if (view.obstacle !== null) print('', view.obstacle);
  else if (command !== null) print('', `Next: vidimus ${command}`);
  if (view.problem !== null) print('', view.problem);
  if (view.newKey !== null)
    for (const { software, text } of view.peerSnippets)
      print('', `For peers with ${software}:`, text.trimEnd());
  if (view.oldSigningKeys !== null)
    print('', 'For our own configuration, beside a homeserver:', view.oldSigningKeys.trimEnd());
}

function asJson(view: RotationView): object {
  return {
    old_key: view.oldKey?.keyId ?? null,
    new_key: view.newKey?.keyId ?? null,
    safe_ts: view.safeTs,
    obstacle: view.obstacle,
    problem: view.problem,
    steps: view.steps,
    peer_lines: view.peerSnippets,
    old_signing_keys: view.oldSigningKeys,
  };
}
