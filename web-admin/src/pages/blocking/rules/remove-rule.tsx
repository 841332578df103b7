import { useState } from 'react';

import { useChange } from '../../../api/use-change.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { Button } from '@mantine/core';
import { useAttempt } from '../../../ui/dialog/use-attempt.js';
import type { RuleData } from '../blocking-query.js';
import { RuleParts } from '../rule-words.js';
import { removeRuleMutation, tryRuleMutation, type TrialData } from './rule-mutations.js';
import { TrialResult } from './trial-result.js';

/** Removes a rule that operators added. */
export function RemoveRule({ rule, onClose }: { rule: RuleData | null; onClose: () => void }) {
  const { mutateAsync } = useChange(removeRuleMutation);
  const remove = async () => {
    const input = { id: rule?.id ?? '', revision: rule?.revision ?? 0 };
    return (await mutateAsync({ input })).removeBlockRule.userErrors;
  };
  return (
    <ConfirmDialog
      opened={rule !== null}
      onClose={onClose}
      verb="Remove"
      thing={`a rule of ${rule?.setting ?? ''}`}
      count={1}
      onConfirm={remove}
    >
      {rule !== null && <Removal key={rule.id} rule={rule} />}
    </ConfirmDialog>
  );
}

function Removal({ rule }: { rule: RuleData }) {
  const [trial, setTrial] = useState<TrialData | null>(null);
  const { mutateAsync, isPending } = useChange(tryRuleMutation);
  const attempt = useAttempt();
  const look = async () => {
    const payload = await attempt(async () => (await mutateAsync({ input: { id: rule.id } })).tryBlockRule);
    setTrial(payload?.trial ?? null);
  };
  return (
    <>
      <RuleParts parts={rule.parts} />
      <p>What it refused stays in the list of hits. It can be brought back for ten minutes.</p>
      {trial === null ? (
        <Button size="xs" onClick={() => void look()} loading={isPending}>
          See what that would do
        </Button>
      ) : (
        <TrialResult trial={trial} />
      )}
    </>
  );
}
