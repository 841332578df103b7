import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';

import { useQuery } from '../../api/use-query.js';
import { useViewer } from '../../session/viewer-context.js';
import { jumpQuery } from './jump-query.js';
import { foundTargets, literalTargets, pageTargets, type Target } from './targets.js';

const SETTLE_MS = 200;
const MAX = 20;
const MAX_CHARACTERS = 500;

/** What the palette offers for a text: pages, what lists found, and what the text itself may be. */
export function useTargets(text: string): { targets: Target[]; isSearching: boolean } {
  const { role } = useViewer();
  const wanted = text.trim().slice(0, MAX_CHARACTERS);
  const [settled] = useDebouncedValue(wanted, SETTLE_MS);
  const { data, isFetching } = useQuery(jumpQuery, { text: settled }, { isOff: settled === '' });
  const targets = useMemo(() => {
    const pages = pageTargets(wanted, role);
    if (wanted === '') return pages;
    const found = settled === wanted && settled !== '' ? foundTargets(data) : [];
    return unique([...pages, ...found, ...literalTargets(wanted, role)]).slice(0, MAX);
  }, [wanted, settled, role, data]);
  return { targets, isSearching: wanted !== settled || isFetching };
}

function unique(targets: readonly Target[]): Target[] {
  return [...new Map(targets.toReversed().map((target) => [target.href, target])).values()].toReversed();
}
