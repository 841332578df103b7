import { StateBadge } from '../../../ui/state/state-badge.js';
import type { Column } from '../../../ui/table/table-types.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { TokenRow } from '../access-query.js';
import { scopeLabel } from '../scopes.js';
import styles from '../access.module.css';

function stateOf({ revokedAt, expiresAt }: TokenRow): readonly ['ok' | 'idle' | 'bad', string] {
  if (revokedAt !== null) return ['bad', 'revoked'];
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? ['idle', 'expired'] : ['ok', 'valid'];
}

/** Columns of the tokens' list. */
export const TOKEN_COLUMNS: readonly Column<TokenRow>[] = [
  {
    id: 'name',
    title: 'Name',
    isMain: true,
    cell: ({ name, hint, createdBy }) => (
      <span className={styles.name}>
        <UntrustedText text={name === '' ? 'without a name' : name} max={48} />
        <span className={styles.quiet}>
          {hint !== '' && <code>{hint}…</code>} made by <UntrustedText text={createdBy} max={32} />
        </span>
      </span>
    ),
  },
  {
    id: 'state',
    title: 'State',
    width: '100px',
    cell: (row) => {
      const [tone, word] = stateOf(row);
      return <StateBadge tone={tone}>{word}</StateBadge>;
    },
  },
  {
    id: 'scopes',
    title: 'May',
    width: '170px',
    cell: ({ scopes }) => scopes.map(scopeLabel).join(', '),
  },
  {
    id: 'user',
    title: 'User',
    cell: ({ user }) => <UntrustedText text={user ?? '—'} max={40} />,
  },
  {
    id: 'used',
    title: 'Last used',
    width: '120px',
    cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} none="never" />,
  },
  {
    id: 'expires',
    title: 'Expires',
    width: '120px',
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} none="never" />,
  },
];
