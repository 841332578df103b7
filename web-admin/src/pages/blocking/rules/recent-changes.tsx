import { Button } from '@mantine/core';

import { useChange } from '../../../api/use-change.js';
import { useCan } from '../../../session/viewer-context.js';
import { useAttempt } from '../../../ui/dialog/use-attempt.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { Panel } from '../../../ui/page/panel.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { RuleData } from '../blocking-query.js';
import { RuleParts } from '../rule-words.js';
import { undoRuleMutation } from './rule-mutations.js';
import styles from './rules.module.css';

/** Rules whose last change can still be undone; draws nothing without any. */
export function RecentChanges({ rules }: { rules: readonly RuleData[] }) {
  if (rules.length === 0) return null;
  return (
    <Panel title="Changed just now" note="can be undone for ten minutes" flush>
      <ul className={styles.changes}>
        {rules.map((rule) => (
          <Change key={rule.id} rule={rule} />
        ))}
      </ul>
    </Panel>
  );
}

function Change({ rule }: { rule: RuleData }) {
  const { parts, setting, standing, revision, changedBy, changedAt } = rule;
  const verb = standing === 'REMOVED' ? 'Removed from' : revision === 1 ? 'Added to' : 'Changed in';
  const can = useCan();
  const { undo, isBusy } = useUndo(rule);
  return (
    <li>
      <span className={styles.changed}>
        <RuleParts parts={parts} />
        <span className={styles.small}>
          {verb} {setting} by <UntrustedText text={changedBy ?? ''} max={40} />{' '}
          <RelativeTime at={changedAt} />
        </span>
      </span>
      {can('undoBlockRule') && (
        <Button size="xs" onClick={() => void undo()} loading={isBusy}>
          Undo
        </Button>
      )}
    </li>
  );
}

function useUndo({ id, revision }: RuleData): { undo: () => Promise<void>; isBusy: boolean } {
  const { mutateAsync, isPending } = useChange(undoRuleMutation);
  const attempt = useAttempt();
  const tell = useTell();
  const undo = async () => {
    const input = { id, revision: revision ?? 0 };
    const payload = await attempt(async () => (await mutateAsync({ input })).undoBlockRule);
    if (payload?.userErrors.length === 0) tell('Undone: the rules are as they were before.');
  };
  return { undo, isBusy: isPending };
}
