/** Values of `sslmode` in `database.url` that mean here what they mean to libpq, and `no-verify` of node-postgres. */
const MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;

/**
 * Whether the connection is encrypted and how far the certificate is checked (libpq, "SSL Support"): `require` encrypts
 * and checks nothing, or the issuer if `sslrootcert` names a file; `verify-ca` checks the issuer, `verify-full` the
 * host name as well. Returns the problem of an address that asks for something else; `null` when there is none.
 */
export function tlsProblemOf(url: URL): string | null {
  const mode = url.searchParams.get('sslmode');
  if (mode === null || MODES.some((each) => each === mode)) {
    const lacksCa = mode === 'verify-ca' && !url.searchParams.has('sslrootcert');
    return lacksCa ? 'has sslmode=verify-ca without sslrootcert=FILE' : null;
  }
  const advice = mode === 'prefer' || mode === 'allow' ? '; write disable or require' : '';
  return `has sslmode=${mode}, which is not supported${advice}`;
}

/** The address for node-postgres, which gives `sslmode` the meaning of libpq only when it is asked to. */
function withLibpqTls(connectionUrl: string): string {
  const url = new URL(connectionUrl);
  const mode = url.searchParams.get('sslmode');
  if (url.searchParams.get('sslrootcert') === 'system') url.searchParams.delete('sslrootcert');
  if (mode !== null && mode !== 'no-verify') url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}

const CONNECT_TIMEOUT_MS = 5000;

/**
 * Settings of a PostgreSQL connection that hold for the pool and for single connections alike. Apart from what uses
 * `pg`, which takes 50 ms to load: a server on SQLite reads these files, too.
 */
export function connectionSettings(url: string) {
  return {
    connectionString: withLibpqTls(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}
