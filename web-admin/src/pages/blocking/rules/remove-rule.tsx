import { useChange } from '../../../api/use-change.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import type { RuleData } from '../blocking-query.js';
import { RuleParts } from '../rule-words.js';
import { removeRuleMutation } from './rule-mutations.js';

/** Removes a pattern that an operator blocked. */
export function RemoveRule({ rule, onClose }: { rule: RuleData | null; onClose: () => void }) {
  const { mutateAsync } = useChange(removeRuleMutation);
  return (
    <ConfirmDialog
      opened={rule !== null}
      onClose={onClose}
      verb="Remove"
      thing="pattern"
      count={1}
      onConfirm={async () => (await mutateAsync({ id: rule?.id ?? '' })).removeBlockRule.userErrors}
    >
      {rule !== null && <RuleParts parts={rule.parts} />}
      <p>The addresses it refused stay in the list of hits.</p>
    </ConfirmDialog>
  );
}
