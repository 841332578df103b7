import { Menu } from '@mantine/core';
import { Icon } from '../ui/icons.js';

import { useBackend } from '../api/backend-context.js';
import { toRequestError } from '../api/request-error.js';
import { signOut } from '../session/session-client.js';
import { useSession } from '../session/session-context.js';
import { useViewer } from '../session/viewer-context.js';
import { useTell } from '../ui/dialog/use-tell.js';
import { UntrustedText } from '../ui/text/untrusted-text.js';
import styles from './shell.module.css';

const METHODS: Record<string, string> = {
  CODE: 'one-time code',
  ADMIN_TOKEN: 'admin token',
  HOMESERVER: 'homeserver account',
  API_TOKEN: 'API token',
};

/** Who is signed in, with which role, and the way out. */
export function AccountMenu() {
  const viewer = useViewer();
  const leave = useLeave();
  return (
    <Menu width={230}>
      <Menu.Target>
        <button type="button" className={styles.tool} aria-label={viewer.name}>
          {/* Drawn by the style: a letter is no part of the button's name. */}
          <span
            className={styles.initial}
            data-initial={Array.from(viewer.name.replace(/^@/, ''))[0] ?? '?'}
            aria-hidden="true"
          />
          <span className={styles.name}>{viewer.name}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <span className={styles.who}>
          <UntrustedText text={viewer.name} />
          <small>
            {viewer.role.toLowerCase()}, signed in by {METHODS[viewer.method] ?? viewer.method.toLowerCase()}
          </small>
        </span>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logout" size={15} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useLeave(): () => Promise<void> {
  const session = useSession();
  const { basePath } = useBackend();
  const tell = useTell();
  return async () => {
    try {
      await signOut(basePath);
    } catch (error) {
      tell(toRequestError(error).message, { failed: true });
    }
    await session.reload();
  };
}
