import { Loader } from '@mantine/core';

import type { RequestError } from '../api/request-error.js';
import { Mark } from '../brand/mark.js';
import styles from './not-ready.module.css';

/** For answers that name none. */
const CAUSES: Record<string, string[]> = {
  NOT_READY: [
    'The database is away: is it running, and does the address in the configuration still hold?',
    'Migrations are running after an upgrade; large stores take some minutes.',
  ],
  NETWORK: ['The service is stopped or restarting.', 'A proxy between you and the service has lost it.'],
};

/** Why there is nothing to sign in to yet. It heals by itself: the gate behind it keeps asking. */
export function NotReady({ error }: { error: RequestError }) {
  const said = error.details.causes;
  const causes = said.length > 0 ? said : (CAUSES[error.code] ?? []);
  return (
    <main className={styles.page}>
      <Mark size={44} />
      <h1 className={styles.title}>Vidimus is not ready</h1>
      <p role="status">{error.message}</p>
      {causes.length > 0 && (
        <div className={styles.causes}>
          <h2>Likely causes</h2>
          <ul>
            {causes.map((cause) => (
              <li key={cause}>{cause}</li>
            ))}
          </ul>
        </div>
      )}
      <p className={styles.wait}>
        <Loader size={14} aria-hidden="true" /> Asking again every 2 seconds; this page continues by itself.
      </p>
    </main>
  );
}
