import { Button } from '@mantine/core';
import { useState } from 'react';

import { useCan } from '../../../session/viewer-context.js';
import type { SuggestionData } from '../blocking-query.js';
import { entryOfSuggestion } from './rule-entry.js';
import { RuleDialog } from './rule-dialog.js';
import styles from './rules.module.css';

/** Offers the narrowest rule that would allow what was refused, or says why none can be added here. */
export function AllowThis({ allowing }: { allowing: SuggestionData | null }) {
  const can = useCan();
  const [isOpen, setOpen] = useState(false);
  if (allowing === null || !can('addBlockRule')) return null;
  if (allowing.problem !== null)
    return <span className={styles.small}>No rule can be added for it here: {allowing.problem}</span>;
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        {allowing.range === null ? 'Allow this address…' : `Allow ${allowing.range}…`}
      </Button>
      <RuleDialog
        editing={isOpen ? { rule: null, entry: entryOfSuggestion(allowing) } : null}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
