import { ActionIcon, Alert, Anchor, AppShell, Badge, Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

import { Mark } from '../brand/mark.js';
import { useAwaySince } from '../live/use-away.js';
import { useSession } from '../session/session-context.js';
import { Icon } from '../ui/icons.js';
import { UntrustedText } from '../ui/text/text.js';
import { exactTime } from '../ui/text/time-words.js';
import { Nav } from './nav.js';

/** Loaded behind the page that is opened first. */
const Tools = lazy(async () => ({ default: (await import('./tools.js')).Tools }));

/** Navigation, top bar and the page. On phones the navigation opens over the page. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const isWide = useMediaQuery('(min-width: 768px)', true, { getInitialValueInEffect: false });
  const main = useFocusOnNewPage();
  const awaySince = useAwaySince();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <Group h="100%" px="sm" gap="xs" wrap="nowrap">
          <Button
            component="a"
            href="#main"
            className="v-skip"
            onClick={(event) => {
              event.preventDefault();
              main.current?.focus();
            }}
          >
            Skip to content
          </Button>
          <ActionIcon
            hiddenFrom="sm"
            aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'x' : 'menu2'} size={19} />
          </ActionIcon>
          <Where isWide={isWide} />
          <Group gap={2} ml="auto" wrap="nowrap">
            <Suspense>
              <Tools />
            </Suspense>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        {(isOpen || isWide) && <Nav onNavigate={() => setOpen(false)} />}
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1} data-away={awaySince !== null || undefined}>
        <div role="status" className="v-away">
          {awaySince !== null && (
            <Alert color="bad" mb="sm">
              The server does not answer. Last answer {exactTime(awaySince)} UTC, trying again.
            </Alert>
          )}
        </div>
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

function Where({ isWide }: { isWide: boolean }) {
  const { serverName, environment } = useSession();
  return (
    <>
      <Anchor component={Link} href="/" underline="never" c="inherit" lh={0} aria-label="Vidimus">
        <Mark size={24} />
      </Anchor>
      <span className="v-mono v-ellipsis">
        <UntrustedText text={serverName} max={isWide ? 48 : 12} />
      </span>
      {environment !== null && (
        <Badge component="span" color="ink" visibleFrom="xs">
          <UntrustedText text={environment.label} max={24} />
        </Badge>
      )}
    </>
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
