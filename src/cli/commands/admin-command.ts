import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Config } from '../../config/schema.js';
import { NAMELESS } from '../../core/access/operators/sign-in-codes.js';
import type { Role } from '../../core/access/operators/viewer.js';
import { audited } from '../audited.js';
import { configOption, requireConfig, type ConfigOption } from '../configuration.js';
import { withAccess } from '../store-session.js';
import { formatTs, note, print, printJson } from '../terminal/print.js';

const NAME = /^[^\p{Cc}\p{Cf}]{1,64}$/u;
const ROLES: readonly Role[] = ['viewer', 'operator', 'admin'];

/** `vidimus admin sign-in-code`. */
export function addAdminCommands(program: Command): void {
  const admin = program.command('admin').description("the operators' pages").addHelpText('after', EXAMPLES);
  admin
    .command('sign-in-code')
    .description('make a one-time code for signing in; works beside the running server')
    .addOption(configOption())
    .addOption(new Option('-r, --role <role>', 'what it lets do').choices([...ROLES]).default('admin'))
    .option('-n, --name <name>', 'who signs in with it, for audit', readName, NAMELESS)
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(signInCode);
}

const EXAMPLES = `
The code goes to standard output, everything else to standard error. It can be used once, for a limited time (15 minutes).

Examples:
  $ vidimus admin sign-in-code --config config.yaml --name ana
  $ vidimus admin sign-in-code --role viewer --json`;

async function signInCode(option: ConfigOption & { role: Role; name: string; json?: true }): Promise<void> {
  const { config } = requireConfig(option);
  const auditedAction = {
    action: 'createSignInCode' as const,
    summary: `Made a one-time code for ${option.name}, role ${option.role}`,
    detail: { name: option.name, role: option.role },
  };
  const { code, expiresTs } = await withAccess(option, ({ auditLog, codes }) =>
    audited(auditLog, auditedAction, () => codes.create(option.role, option.name)),
  );
  const url = configuredUrl(config);
  if (option.json) {
    printJson({
      code,
      name: option.name,
      role: option.role,
      expiresAt: new Date(expiresTs).toISOString(),
      url,
    });
    return;
  }
  print(code);
  note(
    `For ${option.name} in the role ${option.role}, once, until ${formatTs(expiresTs)}${url === null ? '' : `, at ${url}`}`,
  );
}

function readName(text: string): string {
  const name = text.trim();
  if (NAME.test(name)) return name;
  throw new InvalidArgumentError('Wanted: 1 to 64 characters without control characters.');
}

/** Where the pages are, as far as the configuration tells; `null` when they are not served or on a free port. */
function configuredUrl({ admin, listeners }: Config): string | null {
  const listener = listeners.find(({ resources }) => resources.includes('admin'));
  if (listener === undefined) return null;
  if (admin.public_url !== null) return new URL(`${admin.base_path}/`, admin.public_url).href;
  const host = listener.bind_addresses[0] ?? 'localhost';
  const name = host.includes(':') ? `[${host}]` : host;
  const origin = `${listener.tls ? 'https' : 'http'}://${name}:${listener.port}`;
  return listener.port === 0 ? null : `${origin}${admin.base_path}/`;
}
