import { ActionIcon, Drawer } from '@mantine/core';
import { Icon } from '../ui/icons.js';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

import { Mark } from '../brand/mark.js';
import { useAwaySince } from '../live/use-away.js';
import { useSession } from '../session/session-context.js';
import { ToneIcon } from '../ui/state/state-badge.js';
import { UntrustedText } from '../ui/text/untrusted-text.js';
import { AccountMenu } from './account-menu.js';
import { Nav } from './nav.js';
import { Palette } from './palette/palette.js';
import { RefreshMenu } from './refresh-menu.js';
import { Shortcuts } from './shortcuts.js';
import { ThemeMenu } from './theme-menu.js';
import styles from './shell.module.css';

/** Navigation, top bar and the page. On phones the navigation is a drawer. */
export function Shell({ children }: { children: ReactNode }) {
  const [menu, setMenu] = useState(false);
  const main = useFocusOnNewPage();
  const awaySince = useAwaySince();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main" onClick={(event) => jump(event, main.current)}>
        Skip to content
      </a>
      <aside className={styles.side}>
        <Brand />
        <Nav />
      </aside>
      <div className={styles.body}>
        <TopBar onMenu={() => setMenu(true)} />
        <div role="status" className={styles.below}>
          {awaySince !== null && <Away lastAnswerTs={awaySince} />}
        </div>
        <main
          id="main"
          ref={main}
          className={styles.main}
          tabIndex={-1}
          data-away={awaySince !== null || undefined}
        >
          {children}
        </main>
      </div>
      <PhoneNav opened={menu} onClose={() => setMenu(false)} />
      <Shortcuts />
    </div>
  );
}

function PhoneNav({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={272}
      title={<Brand />}
      closeButtonProps={{ 'aria-label': 'Close navigation' }}
    >
      <Nav onNavigate={onClose} />
    </Drawer>
  );
}

/** What is below is as old as it says. */
function Away({ lastAnswerTs }: { lastAnswerTs: number }) {
  const at = new Date(lastAnswerTs).toLocaleTimeString();
  return (
    <p className={styles.away}>
      <ToneIcon tone="bad" size={14} /> The server does not answer. Last answer {at}, trying again.
    </p>
  );
}

function TopBar({ onMenu }: { onMenu: () => void }) {
  return (
    <header className={styles.top}>
      <ActionIcon className={styles.burger} aria-label="Open navigation" onClick={onMenu}>
        <Icon name="menu2" size={19} />
      </ActionIcon>
      <Where />
      <div className={styles.tools}>
        <Palette />
        <RefreshMenu />
        <ThemeMenu />
        <AccountMenu />
      </div>
    </header>
  );
}

function Brand() {
  return (
    <Link href="/" className={styles.brand}>
      <Mark size={24} /> Vidimus
    </Link>
  );
}

function Where() {
  const { serverName, environment } = useSession();
  return (
    <div className={styles.where}>
      <span className={styles.server}>
        <UntrustedText text={serverName} max={48} />
      </span>
      {environment !== null && (
        <span className={styles.environment}>
          <UntrustedText text={environment.label} max={24} />
        </span>
      )}
    </div>
  );
}

/** After going to another page the keyboard goes on in its content; the first page keeps the browser's start. */
function useFocusOnNewPage() {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  const last = useRef(location);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [location]);
  return main;
}

function jump(event: { preventDefault: () => void }, target: HTMLElement | null) {
  event.preventDefault();
  target?.focus();
}
