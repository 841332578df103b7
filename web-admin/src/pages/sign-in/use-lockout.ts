import { useCallback, useEffect, useState } from 'react';

/** Counts a lock-out down in whole seconds; 0 = free. */
export function useLockout(): { secondsLeft: number; lock: (waitMs: number) => void } {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (until <= now) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), 250);
    return () => clearTimeout(timer);
  }, [until, now]);
  const lock = useCallback((waitMs: number) => {
    setNow(Date.now());
    setUntil(Date.now() + waitMs);
  }, []);
  return { secondsLeft: Math.max(0, Math.ceil((until - now) / 1000)), lock };
}
