import { InvalidArgumentError, Option, type Command } from 'commander';

import { localAddress } from '../../config/output/proxy.js';
import type { Config } from '../../config/schema.js';
import { NAMELESS } from '../../core/access/operators/sign-in-codes.js';
import { ROLES, type Role } from '../../core/access/operators/viewer.js';
import { requireConfig, type JsonOption } from '../configuration.js';
import { recordCommand, withAccess } from '../open-database.js';
import { note, print, printJson } from '../terminal.js';
import { addJsonCommand } from './command.js';

const NAME = /^[^\p{Cc}\p{Cf}]{1,64}$/u;

export function addSignInCodeCommand(program: Command): void {
  addJsonCommand(program, 'admin sign-in-code', {
    text: 'create a one-time code for signing in',
    notes: `Only the code goes to standard output. It can be used once, within 15 minutes.`,
    examples: ['-c config.yaml --name ana', '-c config.yaml --role viewer --json'],
  })
    .addOption(new Option('-r, --role <role>', 'the role it grants').choices([...ROLES]).default('admin'))
    .option('-n, --name <name>', 'name of the operator, for the audit log', readName, NAMELESS)
    .action(signInCode);
}

async function signInCode(option: JsonOption & { role: Role; name: string }): Promise<void> {
  const { role, name } = option;
  const url = pagesUrl(requireConfig(option).config);
  const { code, expiresTs } = await withAccess(option, async (access) => {
    const made = await access.codes.create(role, name);
    const summary = `Create a one-time code for ${name}, role ${role}`;
    await recordCommand(access, { action: 'createSignInCode', summary, detail: { name, role } });
    return made;
  });
  const expiresAt = new Date(expiresTs).toISOString();
  if (option.json) printJson({ code, name, role, expiresAt, url });
  else {
    print(code);
    note(`For ${name} in the role ${role}, once, until ${expiresAt}${url === null ? '' : `, at ${url}`}`);
  }
}

function readName(text: string): string {
  const name = text.trim();
  if (NAME.test(name)) return name;
  throw new InvalidArgumentError('Expected 1 to 64 characters without control characters.');
}

/** Where the pages are; `null` when they are not served or on a free port. */
function pagesUrl({ admin, listeners }: Config): string | null {
  const listener = listeners.find(({ resources }) => resources.includes('admin'));
  if (listener === undefined) return null;
  if (admin.public_url !== null) return new URL(`${admin.base_path}/`, admin.public_url).href;
  if (listener.port === 0) return null;
  return `${listener.tls ? 'https' : 'http'}://${localAddress(listener)}${admin.base_path}/`;
}
