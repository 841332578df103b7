import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

import type { SignInWay } from '../../session/session-client.js';
import { useSignIn } from './use-sign-in.js';
import { WAYS } from './ways.js';
import styles from './sign-in.module.css';

interface SecretFormProps {
  way: SignInWay;
  /** What a link brought, which is sent at once; empty: nothing. */
  given: string;
  /** It is sent once, whichever way is looked at next. */
  onSent: () => void;
}

/** The one field of a way to sign in. */
export function SecretForm({ way, given, onSent }: SecretFormProps) {
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
    <form
      className={styles.form}
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
        classNames={{ input: styles.secret }}
      />
      <Button type="submit" variant="filled" size="sm" fullWidth loading={isBusy} disabled={isLocked}>
        {button}
      </Button>
    </form>
  );
}
