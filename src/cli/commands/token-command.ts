import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  TOKEN_SCOPES,
  type AccessTokenInfo,
  type TokenScope,
} from '../../core/access/users/access-token-store.js';
import { systemClock } from '../../core/base/clock.js';
import { isUserId } from '../../core/notary/federation/user-id.js';
import { audited } from '../audited.js';
import { readDuration } from '../api/operation.js';
import { configOption, type JsonOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { withAccess } from '../store-session.js';
import { formatTs, note, print, printJson, printTable } from '../terminal/print.js';

const SCOPES = [...TOKEN_SCOPES, 'admin'] as const;

const MAX_LABEL_LENGTH = 100;

/** `vidimus token create|list|revoke`. */
export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .description("access tokens for previews, operators' scripts and metrics")
    .addHelpText('after', CREATE_EXAMPLES);
  token
    .command('create')
    .description('make a token; it is shown this once')
    .addOption(configOption())
    .option('-u, --user <id>', 'whose previews it asks for, such as @alice:example.org', readUserId)
    .addOption(
      new Option('-s, --scope <scope...>', `what it is for: ${SCOPES.join(', ')}; admin is admin_write`)
        .choices([...SCOPES])
        .default(['preview'], 'preview'),
    )
    .option('-l, --label <text>', 'what it is for', readLabel, '')
    .option('-e, --expires <duration>', 'when it ends, such as 12h or 30d (never)', readDuration)
    .option('--json', 'print JSON')
    .addHelpText('after', CREATE_EXAMPLES)
    .action(create);
  token
    .command('list')
    .description('all tokens, newest first; the tokens themselves are not stored')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', LIST_EXAMPLES)
    .action(list);
  token
    .command('revoke <id>')
    .description('end a token by its ID, at once')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', REVOKE_EXAMPLES)
    .action(revoke);
}

const CREATE_EXAMPLES = `
The token goes to standard output, everything else to standard error.

Examples:
  $ vidimus token create --user @alice:example.org --label laptop --expires 30d
  $ TOKEN=$(vidimus token create -c config.yaml --user @bot:example.org)
  $ vidimus token create --scope admin --label "night script" --expires 90d
  $ vidimus token create --scope metrics --label prometheus`;

const LIST_EXAMPLES = `
Examples:
  $ vidimus token list --config config.yaml
  $ vidimus token list --config config.yaml --json`;

const REVOKE_EXAMPLES = `
Examples:
  $ vidimus token revoke 1f3a5b7c9d0e --config config.yaml`;

interface CreateOption extends JsonOption {
  user?: string;
  scope: (typeof SCOPES)[number][];
  label: string;
  expires?: number;
}

async function create(option: CreateOption): Promise<void> {
  const expiresTs = option.expires === undefined ? null : systemClock.now() + option.expires;
  const scopes = option.scope.map((scope): TokenScope => (scope === 'admin' ? 'admin_write' : scope));
  const wanted = { userId: ownerOf(option, scopes), label: option.label, expiresTs, scopes };
  const auditedAction = {
    action: 'createApiToken',
    targetType: 'ApiToken',
    summary: `Made the API token ${option.label}`.trim(),
    detail: { scopes, expiresTs },
  };
  const { token, info } = await withAccess(option, ({ auditLog, tokens }) =>
    audited(auditLog, auditedAction, async (note) => {
      const made = await tokens.create(wanted);
      note.about({ targetId: made.info.id });
      return made;
    }),
  );
  if (option.json) {
    printJson({ token, ...tokenRow(info) });
    return;
  }
  print(token);
  const owner = info.userId === null ? '' : `, for ${info.userId}`;
  const facts = `ID ${info.id}${owner}, ${info.scopes.join(' and ')}, expires: ${formatTs(info.expiresTs)}`;
  note(`${facts}. It is not shown again.`);
}

/** Previews belong to somebody; nothing else does. */
function ownerOf({ user }: CreateOption, scopes: readonly TokenScope[]): string | null {
  const isForPreviews = scopes.includes('preview');
  if (isForPreviews && user === undefined) {
    throw new CommandError('The scope preview needs --user, whose previews it asks for.', EXIT.use);
  }
  if (!isForPreviews && user !== undefined) {
    throw new CommandError('--user belongs to the scope preview alone.', EXIT.use);
  }
  return user ?? null;
}

async function list(option: JsonOption): Promise<void> {
  const rows = (await withAccess(option, ({ tokens }) => tokens.list())).map(tokenRow);
  if (option.json) printJson(rows);
  else if (rows.length === 0) note('No tokens. Make one: vidimus token create --user @alice:example.org');
  else {
    const cells = rows.map((row) => [
      row.id,
      row.scopes.join(','),
      row.user_id ?? '—',
      row.state,
      formatTs(row.created_ts),
      formatTs(row.expires_ts),
      formatTs(row.last_used_ts),
      row.label,
    ]);
    printTable(['ID', 'SCOPES', 'USER', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'LABEL'], cells);
  }
}

async function revoke(id: string, option: JsonOption): Promise<void> {
  const auditedAction = {
    action: 'revokeApiToken',
    targetType: 'ApiToken',
    targetId: id,
    summary: 'Revoke an API token',
  };
  await withAccess(option, ({ auditLog, tokens }) =>
    audited(auditLog, auditedAction, async () => {
      if (await tokens.revoke(id)) return;
      throw new CommandError(`No token with the ID ${id} is in use; "vidimus token list" shows them.`);
    }),
  );
  if (option.json) printJson({ revoked: id });
  else print(`Revoked: ${id}`);
}

function tokenRow(info: AccessTokenInfo) {
  const isOver = info.expiresTs !== null && info.expiresTs <= systemClock.now();
  return {
    id: info.id,
    scopes: info.scopes,
    hint: info.hint,
    user_id: info.userId,
    created_by: info.createdBy,
    label: info.label,
    state: info.revokedTs !== null ? 'revoked' : isOver ? 'expired' : 'active',
    created_ts: info.createdTs,
    expires_ts: info.expiresTs,
    last_used_ts: info.lastUsedTs,
    revoked_ts: info.revokedTs,
  };
}

function readUserId(text: string): string {
  if (isUserId(text)) return text;
  throw new InvalidArgumentError('Wanted: @name:server.name');
}

function readLabel(text: string): string {
  if (text.length <= MAX_LABEL_LENGTH) return text;
  throw new InvalidArgumentError(`At most ${MAX_LABEL_LENGTH} characters.`);
}
