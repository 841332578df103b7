import { useEffect, useMemo, useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { useViewer } from '../../session/viewer-context.js';
import { jumpQuery } from './jump-query.js';
import { recentTargets } from './recent.js';
import { foundTargets, literalTargets, pageTargets, type Target } from './targets.js';

const SETTLE_MS = 200;
const MAX = 20;
const MAX_CHARACTERS = 500;

/** What the palette offers for a text: what it surely is, where one went before, pages, what lists found, the rest. */
export function useTargets(text: string): { targets: Target[]; isSearching: boolean } {
  const { role } = useViewer();
  const wanted = text.trim().slice(0, MAX_CHARACTERS);
  const settled = useSettled(wanted);
  const { data, isFetching } = useQuery(jumpQuery, { text: settled }, { isOff: settled === '' });
  const [recent] = useState(recentTargets);
  const targets = useMemo(() => {
    const pages = pageTargets(wanted, role);
    if (wanted === '') return unique([...recent, ...pages]);
    const literal = literalTargets(wanted, role);
    const before = recent.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
    const sure = literal.filter(({ isSure }) => isSure).map(({ target }) => target);
    const rest = literal.map(({ target }) => target);
    const found = settled === '' ? [] : foundTargets(data);
    return unique([...sure, ...before, ...pages, ...found, ...rest]).slice(0, MAX);
  }, [wanted, settled, role, recent, data]);
  return { targets, isSearching: wanted !== settled || isFetching };
}

function unique(targets: readonly Target[]): Target[] {
  return [...new Map(targets.toReversed().map((target) => [target.href, target])).values()].toReversed();
}

/** The text once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
