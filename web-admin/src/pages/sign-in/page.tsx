import {
  Button,
  Center,
  Paper,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { toRequestError } from '../../api/request-error.js';
import { Mark } from '../../brand/mark.js';
import { signIn, type SignInWay } from '../../session/session-client.js';
import { useSession } from '../../session/session-context.js';
import { UntrustedText } from '../../ui/text/text.js';

interface WayWords {
  tab: string;
  label: string;
  hint: string;
  button: string;
}

const WAYS: Readonly<Record<SignInWay, WayWords>> = {
  code: {
    tab: 'Code',
    label: 'One-time code',
    hint: 'Printed at first start. For another, run: vidimus admin sign-in-code',
    button: 'Sign in',
  },
  token: {
    tab: 'Token',
    label: 'API token with an admin scope',
    hint: 'Exchanged for a session at once; this browser does not keep it.',
    button: 'Sign in with token',
  },
  homeserver: {
    tab: 'Homeserver',
    label: 'Access token of your homeserver account',
    hint: 'Checked with the homeserver and not kept. Your account must be on the list of admins.',
    button: 'Sign in with homeserver',
  },
};

/** The one-time code of a link that signs in, `…/sign-in#code=…`; empty without one. No server gets to see it. */
function codeOfLink(): string {
  return new URLSearchParams(window.location.hash.slice(1)).get('code') ?? '';
}

/** Takes the code out of the address, which people copy and browsers remember. */
function forgetLink(): void {
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, '', pathname + search);
}

/** The ways the server has switched on. A link may bring a code. */
export function SignIn() {
  const { serverName, version, ways } = useSession();
  const [given, setGiven] = useState(() => (ways.includes('code') ? codeOfLink() : ''));
  const [way, setWay] = useState<SignInWay>(given === '' ? (ways[0] ?? 'code') : 'code');
  const onSent = () => {
    forgetLink();
    setGiven('');
  };
  useEffect(() => {
    document.title = `Sign in · ${serverName} · Vidimus`;
  }, [serverName]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400}>
        <Paper withBorder p="lg">
          <Stack>
            <Mark size={48} />
            <Title order={1}>Vidimus</Title>
            <Text ff="monospace" c="dimmed">
              <UntrustedText text={serverName} />
            </Text>
            {ways.length > 1 && (
              <SegmentedControl
                fullWidth
                aria-label="How to sign in"
                value={way}
                onChange={(value) => setWay(value)}
                data={ways.map((value) => ({ value, label: WAYS[value].tab }))}
              />
            )}
            {ways.length === 0 ? (
              <p>Sign-in is disabled on this server.</p>
            ) : (
              <SecretForm key={way} way={way} given={way === 'code' ? given : ''} onSent={onSent} />
            )}
          </Stack>
        </Paper>
        <Text size="xs" c="dimmed" ta="center">
          version {version}
        </Text>
      </Stack>
    </Center>
  );
}

interface SecretFormProps {
  way: SignInWay;
  /** What a link brought, which is sent at once; empty: nothing. */
  given: string;
  /** It is sent once, whichever way is looked at next. */
  onSent: () => void;
}

/** The one field of a way to sign in. */
function SecretForm({ way, given, onSent }: SecretFormProps) {
  const { label, hint, button } = WAYS[way];
  const [secret, setSecret] = useState(given);
  const { isBusy, isLocked, problem, submit } = useSignIn(way);
  const isSent = useRef(false);
  useEffect(() => {
    if (given === '' || isSent.current) return;
    isSent.current = true;
    onSent();
    void submit(given);
  });
  const Field = way === 'code' ? TextInput : PasswordInput;
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(secret);
      }}
    >
      <Field
        label={label}
        description={hint}
        error={problem}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        required
        withAsterisk={false}
        autoFocus
        autoComplete={way === 'code' ? 'one-time-code' : 'off'}
        spellCheck={false}
        size="sm"
      />
      <Button type="submit" variant="filled" size="sm" fullWidth loading={isBusy} disabled={isLocked}>
        {button}
      </Button>
    </Stack>
  );
}

interface SignInState {
  isBusy: boolean;
  isLocked: boolean;
  /** Shown under the field; null = nothing to say. */
  problem: string | null;
  submit: (secret: string) => Promise<void>;
}

/** Every refusal reads the same; a lock-out counts down. */
function useSignIn(way: SignInWay): SignInState {
  const { basePath } = useBackend();
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { secondsLeft, lock } = useLockout();
  const submit = async (secret: string) => {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(basePath, way, secret.trim());
      await session.reload();
    } catch (error) {
      const { code, message, details } = toRequestError(error);
      if (details.retryAfterMs !== null) lock(details.retryAfterMs);
      else setProblem(code === 'NETWORK' ? message : 'Sign-in failed. Check what you entered and try again.');
      setBusy(false);
    }
  };
  const isLocked = secondsLeft > 0;
  const locked = `Too many attempts. Try again in ${secondsLeft} s.`;
  return { isBusy, isLocked, problem: isLocked ? locked : problem, submit };
}

/** Counts a lock-out down in whole seconds; 0 = free. */
function useLockout(): { secondsLeft: number; lock: (waitMs: number) => void } {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (until <= now) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), 250);
    return () => clearTimeout(timer);
  }, [until, now]);
  const lock = (waitMs: number) => {
    setNow(Date.now());
    setUntil(Date.now() + waitMs);
  };
  return { secondsLeft: Math.max(0, Math.ceil((until - now) / 1000)), lock };
}
