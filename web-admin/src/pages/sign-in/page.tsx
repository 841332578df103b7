import { Button, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { toFailure } from '../../api/failure.js';
import { Mark } from '../../brand/mark.js';
import { signIn } from '../../session/session-client.js';
import type { SignInWay } from '../../session/session-client.js';
import { useSession } from '../../session/session-context.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { useLockout } from './use-lockout.js';
import { WAYS } from './ways.js';
import styles from './sign-in.module.css';

/** The ways the server has switched on; every failure reads the same, a lock-out counts down. */
export function SignIn() {
  const { serverName, version, ways } = useSession();
  const [way, setWay] = useState<SignInWay>(ways[0] ?? 'code');
  useEffect(() => {
    document.title = `Sign in · ${serverName} · Vidimus`;
  }, [serverName]);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Mark size={48} />
        <h1 className={styles.title}>Vidimus</h1>
        <p className={styles.server}>
          <UntrustedText text={serverName} />
        </p>
        {ways.length > 1 && (
          <SegmentedControl
            fullWidth
            className={styles.ways}
            aria-label="How to sign in"
            value={way}
            onChange={(value) => setWay(value)}
            data={ways.map((value) => ({ value, label: WAYS[value].tab }))}
          />
        )}
        {ways.length === 0 ? (
          <p>No way to sign in is switched on. See admin.sign_in in the configuration.</p>
        ) : (
          <SecretForm key={way} way={way} />
        )}
      </div>
      <p className={styles.version}>version {version}</p>
    </main>
  );
}

function SecretForm({ way }: { way: SignInWay }) {
  const { basePath } = useBackend();
  const session = useSession();
  const { label, hint, button } = WAYS[way];
  const [secret, setSecret] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { secondsLeft, lock } = useLockout();
  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(basePath, way, secret.trim());
      await session.reload();
    } catch (error) {
      const failure = toFailure(error);
      if (failure.details.retryAfterMs !== null) lock(failure.details.retryAfterMs);
      else
        setProblem(
          failure.code === 'NETWORK' ? failure.message : 'That did not work. Check it and try again.',
        );
      setBusy(false);
    }
  };
  const isLocked = secondsLeft > 0;
  const error = isLocked ? `Too many attempts. Try again in ${secondsLeft} s.` : problem;
  const field = {
    label,
    description: hint,
    error,
    value: secret,
    onChange: (event: { currentTarget: { value: string } }) => setSecret(event.currentTarget.value),
    required: true,
    withAsterisk: false,
    autoFocus: true,
    autoComplete: way === 'code' ? 'one-time-code' : 'off',
    spellCheck: false,
    size: 'sm' as const,
    classNames: { input: styles.secret },
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {way === 'code' ? <TextInput {...field} /> : <PasswordInput {...field} />}
      <Button type="submit" variant="filled" size="sm" fullWidth loading={isBusy} disabled={isLocked}>
        {button}
      </Button>
    </form>
  );
}
