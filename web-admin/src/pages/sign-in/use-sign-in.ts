import { useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { toRequestError } from '../../api/request-error.js';
import { signIn, type SignInWay } from '../../session/session-client.js';
import { useSession } from '../../session/session-context.js';
import { useLockout } from './use-lockout.js';

interface SignInState {
  isBusy: boolean;
  isLocked: boolean;
  /** What stands under the field; null = nothing to say. */
  problem: string | null;
  submit: (secret: string) => Promise<void>;
}

/** Signing in by one way. Every refusal reads the same; a lock-out counts down. */
export function useSignIn(way: SignInWay): SignInState {
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
      else setProblem(code === 'NETWORK' ? message : 'That did not work. Check it and try again.');
      setBusy(false);
    }
  };
  const isLocked = secondsLeft > 0;
  const locked = `Too many attempts. Try again in ${secondsLeft} s.`;
  return { isBusy, isLocked, problem: isLocked ? locked : problem, submit };
}
