import { useSession } from '../../session/session-context.js';
import type { SignInWay } from '../../session/session-client.js';
import { useCommand } from '../../session/viewer-context.js';
import { Panel } from '../../ui/page/panel.js';
import styles from './access.module.css';

const WAYS: Record<SignInWay, readonly [string, (command: (words: string) => string) => string]> = {
  code: [
    'One-time code',
    (command) =>
      `“${command('admin sign-in-code')}” prints one; it works once, within 15 minutes, and needs the shell of this machine.`,
  ],
  token: ['API token', () => 'A token that may read or administer is exchanged for a session.'],
  homeserver: [
    'Homeserver account',
    () => 'Accounts named in admin.matrix_accounts sign in with their access token.',
  ],
};

/** The ways to sign in that are switched on, and how to use them. */
export function SignInWays() {
  const { ways } = useSession();
  const command = useCommand();
  return (
    <Panel title="Ways to sign in">
      <ul className={styles.ways}>
        {ways.map((way) => (
          <li key={way}>
            <strong>{WAYS[way][0]}</strong>
            <span>{WAYS[way][1](command)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
