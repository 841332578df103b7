import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

import type { Shape, ValuesOf } from './params.js';

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
