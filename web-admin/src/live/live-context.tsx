import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';

/**
 * How eager a view is: at most as often as the user's interval, and as `MIN_MS` says. `run` is 1 s. `pulse` is a list that
 * goes on behind a dialog, as `view` there: the only request by which one learns that the server is away.
 */
export type Pace = 'never' | 'view' | 'overview' | 'list' | 'series' | 'run' | 'pulse';

/** The user's choices in seconds; 0 switches live refresh off. */
export const INTERVALS = [0, 5, 15, 60] as const;

interface Live {
  seconds: number;
  setSeconds: (seconds: number) => void;
  /** Number of open dialogs; polling rests while it is above 0. */
  held: number;
  hold: () => () => void;
  /** Rises after each change made by this user, once the views have been read again. */
  changes: number;
  noteChange: () => void;
}

const KEY = 'vidimus.refresh';
/** An open overview is to cost less than 2 MB an hour; a series has a value a minute. */
const MIN_MS = { view: 0, overview: 10_000, list: 30_000, series: 60_000, pulse: 30_000 } as const;
const RUN_MS = 1_000;

const LiveContext = createContext<Live>({
  seconds: 5,
  setSeconds: () => {},
  held: 0,
  hold: () => () => {},
  changes: 0,
  noteChange: () => {},
});

function storedSeconds(): number {
  const text = localStorage.getItem(KEY);
  const seconds = Number(text);
  return text !== null && INTERVALS.some((known) => known === seconds) ? seconds : 5;
}

/** Keeps the refresh interval of this browser and whether a dialog holds it. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [seconds, setState] = useState(storedSeconds);
  const [held, setHeld] = useState(0);
  const [changes, setChanges] = useState(0);
  const setSeconds = useCallback((next: number) => {
    localStorage.setItem(KEY, String(next));
    setState(next);
  }, []);
  const hold = useCallback(() => {
    setHeld((count) => count + 1);
    return () => setHeld((count) => count - 1);
  }, []);
  const noteChange = useCallback(() => setChanges((count) => count + 1), []);
  const value = useMemo(
    () => ({ seconds, setSeconds, held, hold, changes, noteChange }),
    [seconds, setSeconds, held, hold, changes, noteChange],
  );
  return <LiveContext value={value}>{children}</LiveContext>;
}

/** The refresh interval and its setter, for the top bar. */
export function useLive(): Live {
  return useContext(LiveContext);
}

/** Milliseconds between two reads of a view, or false: off, held by a dialog. A running job ignores "off". */
export function useLiveInterval(pace: Pace): number | false {
  const { seconds, held } = useLive();
  const isHeld = held > 0;
  if (pace === 'never' || (isHeld && pace !== 'pulse')) return false;
  if (pace === 'run') return RUN_MS;
  if (seconds === 0) return false;
  return Math.max(seconds * 1000, isHeld ? 0 : MIN_MS[pace]);
}

/** Holds live refresh while `open` is true, so nothing moves behind a dialog. */
export function useHold(open: boolean): void {
  const { hold } = useLive();
  useEffect(() => (open ? hold() : undefined), [open, hold]);
}
