import { SegmentedControl } from '@mantine/core';
import { useEffect, useState } from 'react';

import { Mark } from '../../brand/mark.js';
import type { SignInWay } from '../../session/session-client.js';
import { useSession } from '../../session/session-context.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { codeOfLink, forgetLink } from './code-of-link.js';
import { SecretForm } from './secret-form.js';
import { WAYS } from './ways.js';
import styles from './sign-in.module.css';

/** The ways the server has switched on; every failure reads the same, a lock-out counts down. A link may bring a code. */
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
          <SecretForm key={way} way={way} given={way === 'code' ? given : ''} onSent={onSent} />
        )}
      </div>
      <p className={styles.version}>version {version}</p>
    </main>
  );
}
