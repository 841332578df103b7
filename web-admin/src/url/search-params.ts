import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** How one parameter of the address bar is read and written. `format` gives null to leave it out. */
export interface Param<Value> {
  parse(text: string | null): Value;
  format(value: Value): string | null;
}

export type Shape = Record<string, Param<unknown>>;
export type ValuesOf<S extends Shape> = {
  [Key in keyof S]: S[Key] extends Param<infer Value> ? Value : never;
};

/** A text; absent is `fallback`. */
export function text(fallback = ''): Param<string> {
  return { parse: (raw) => raw ?? fallback, format: (value) => (value === fallback ? null : value) };
}

/** One of a fixed list; anything else in the address counts as absent (null). */
export function oneOf<Value extends string>(allowed: readonly Value[]): Param<Value | null> {
  return { parse: (raw) => allowed.find((known) => known === raw) ?? null, format: (value) => value };
}

/** One of a fixed list with a default that is left out of the address. */
export function choice<Value extends string>(allowed: readonly Value[], fallback: Value): Param<Value> {
  return {
    parse: (raw) => allowed.find((known) => known === raw) ?? fallback,
    format: (value) => (value === fallback ? null : value),
  };
}

/** yes / no / not said (null). In links made elsewhere `true` and `false` say the same. */
export function flag(): Param<boolean | null> {
  return {
    parse: (raw) => (raw === 'yes' || raw === 'true' ? true : raw === 'no' || raw === 'false' ? false : null),
    format: (value) => (value === null ? null : value ? 'yes' : 'no'),
  };
}

/** A whole number from `min` to `max`. */
export function whole(fallback: number, min: number, max: number): Param<number> {
  return {
    parse: (raw) => {
      const value = Number(raw);
      return raw !== null && Number.isInteger(value) && value >= min && value <= max ? value : fallback;
    },
    format: (value) => (value === fallback ? null : String(value)),
  };
}

/**
 * View state that lives in the address bar: values by shape and a function that changes some of them.
 * `push` (default false) makes a step of the browser's history, for paging and tabs.
 */
export function useSearchParams<S extends Shape>(
  shape: S,
): [ValuesOf<S>, (patch: Partial<ValuesOf<S>>, options?: { push?: boolean }) => void] {
  const search = useSearch();
  const [, navigate] = useLocation();
  const values = useMemo(() => {
    const params = new URLSearchParams(search);
    const entries = Object.entries(shape).map(([name, param]) => [name, param.parse(params.get(name))]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each name of the shape, see above
    return Object.fromEntries(entries) as ValuesOf<S>;
  }, [search, shape]);
  const change = useCallback(
    (patch: Partial<ValuesOf<S>>, { push = false }: { push?: boolean } = {}) => {
      // Read where the browser is now: two changes in one tick must not undo each other.
      const params = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(patch)) {
        const raw = shape[name]?.format(value) ?? null;
        if (raw === null || raw === '') params.delete(name);
        else params.set(name, raw);
      }
      const query = params.toString();
      const path = window.location.pathname;
      navigate(query === '' ? `~${path}` : `~${path}?${query}`, { replace: !push });
    },
    [shape, navigate],
  );
  return [values, change];
}
