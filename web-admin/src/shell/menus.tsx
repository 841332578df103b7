import { Button, Menu, Text, useMantineColorScheme } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Menu.css';
import { useQueryClient } from '@tanstack/react-query';

import { useBackend } from '../api/backend-context.js';
import { toRequestError } from '../api/request-error.js';
import { INTERVALS, useLive } from '../live/live-context.js';
import { useAwaySince } from '../live/use-away.js';
import { signOut } from '../session/session-client.js';
import { useSession } from '../session/session-context.js';
import { useViewer } from '../session/viewer-context.js';
import { useTell } from '../ui/dialog/use-tell.js';
import { Icon } from '../ui/icons.js';
import { ToneIcon } from '../ui/state.js';
import { UntrustedText } from '../ui/text/text.js';

const SCHEMES = [
  { value: 'auto', label: 'System', icon: 'deviceDesktop' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
] as const;

/** How often pages refresh, light or dark, who is signed in and the way out. */
export function Menus() {
  return (
    <>
      <RefreshMenu />
      <ThemeMenu />
      <AccountMenu />
    </>
  );
}

function RefreshMenu() {
  const { seconds, setSeconds } = useLive();
  const client = useQueryClient();
  const isAway = useAwaySince() !== null;
  const words = (value: number) => (value === 0 ? 'Off' : `Every ${value} s`);
  return (
    <Menu width={190}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<ToneIcon tone={isAway ? 'bad' : seconds === 0 ? 'idle' : 'ok'} />}
          aria-label={`Live refresh: ${isAway ? 'No answer' : words(seconds)}`}
        >
          {isAway ? 'No answer' : seconds === 0 ? 'Off' : `${seconds} s`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Live refresh</Menu.Label>
        <Menu.RadioGroup value={String(seconds)} onChange={(value) => setSeconds(Number(value))}>
          {INTERVALS.map((value) => (
            <Menu.RadioItem key={value} value={String(value)} closeMenuOnClick>
              {words(value)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item rightSection={<kbd>r</kbd>} onClick={() => void client.refetchQueries({ type: 'active' })}>
          Refresh now
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { icon, label } = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[0];
  return (
    <Menu width={150}>
      <Menu.Target>
        <Button variant="subtle" color="gray" px={6} aria-label={`Theme: ${label}`}>
          <Icon name={icon} size={17} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme}>
          {SCHEMES.map(({ value, label: name, icon: choice }) => (
            <Menu.RadioItem
              key={value}
              value={value}
              closeMenuOnClick
              rightSection={<Icon name={choice} size={15} />}
              onClick={() => setColorScheme(value)}
            >
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountMenu() {
  const viewer = useViewer();
  const session = useSession();
  const { basePath } = useBackend();
  const tell = useTell();
  const leave = async () => {
    await signOut(basePath).catch((error: unknown) => tell(toRequestError(error).message, { failed: true }));
    await session.reload();
  };
  return (
    <Menu width={230}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          px={6}
          leftSection={<Icon name="user" size={17} />}
          aria-label={viewer.name}
        >
          <Text component="span" inherit visibleFrom="sm">
            <UntrustedText text={viewer.name} max={18} inside />
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <UntrustedText text={viewer.name} max={48} />
          <br />
          {viewer.role.toLowerCase()}, signed in by {viewer.method.toLowerCase().replaceAll('_', ' ')}
        </Menu.Label>
        <Menu.Item leftSection={<Icon name="logout" size={15} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
