import type { ReactNode } from 'react';

import type { SignInWay } from '../../session/session-client.js';

interface WayWords {
  tab: string;
  label: string;
  hint: ReactNode;
  button: string;
}

export const WAYS: Readonly<Record<SignInWay, WayWords>> = {
  code: {
    tab: 'Code',
    label: 'One-time code',
    hint: (
      <>
        Printed at first start. Another: <code>vidimus admin sign-in-code</code>
      </>
    ),
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
    hint: 'The homeserver is asked who you are; the token is not kept. Your account must be on the list of admins.',
    button: 'Sign in with homeserver',
  },
};
