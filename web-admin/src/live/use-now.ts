import { useEffect, useState } from 'react';

/** The present in POSIX ms, renewed every `everyMs`; for "3 min ago" and "expires in". */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
