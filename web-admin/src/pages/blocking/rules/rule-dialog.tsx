import { Button, Modal } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../../api/use-change.js';
import { useHold } from '../../../live/live-context.js';
import { useSubmit } from '../../../ui/dialog/use-submit.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { UserErrors } from '../../../ui/dialog/user-errors.js';
import dialog from '../../../ui/dialog/dialog.module.css';
import type { RuleData } from '../blocking-query.js';
import { RuleFields } from './rule-fields.js';
import { inputOf, type RuleEntry } from './rule-entry.js';
import { addRuleMutation, changeRuleMutation, tryRuleMutation, type TrialData } from './rule-mutations.js';
import { TrialResult } from './trial-result.js';

/** What the dialog begins with; `rule` is `null` for a new one. */
export interface RuleEditing {
  rule: Pick<RuleData, 'id' | 'revision'> | null;
  entry: RuleEntry;
}

interface RuleDialogProps {
  editing: RuleEditing | null;
  onClose: () => void;
}

/** Adds or changes a rule: what it says, then what it would have done, then it holds. */
export function RuleDialog({ editing, onClose }: RuleDialogProps) {
  useHold(editing !== null);
  const title = (editing?.rule ?? null) === null ? 'Add a rule' : 'Change the rule';
  return (
    <Modal opened={editing !== null} onClose={onClose} title={title} size="lg">
      {editing !== null && <RuleForm editing={editing} onClose={onClose} />}
    </Modal>
  );
}

function RuleForm({ editing, onClose }: { editing: RuleEditing; onClose: () => void }) {
  const [entry, setEntry] = useState(editing.entry);
  const [trial, setTrial] = useState<TrialData | null>(null);
  const { attempt, save } = useRuleChanges(editing.rule, entry);
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    if (trial === null) {
      const tried = await attempt();
      setTrial(tried.trial ?? null);
      return tried.userErrors;
    }
    const found = await save();
    if (found.length === 0) onClose();
    return found;
  });
  const change = (typed: RuleEntry) => {
    setEntry(typed);
    setTrial(null);
  };
  return (
    <form className={dialog.body} onSubmit={onSubmit}>
      <RuleFields entry={entry} onChange={change} isNew={editing.rule === null} />
      {trial !== null && <TrialResult trial={trial} />}
      {trial === null && <UserErrors errors={errors} />}
      <div className={dialog.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          {trial === null ? 'See what it would do' : editing.rule === null ? 'Add' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

function useRuleChanges(rule: RuleEditing['rule'], entry: RuleEntry) {
  const tell = useTell();
  const trying = useChange(tryRuleMutation);
  const adding = useChange(addRuleMutation);
  const changing = useChange(changeRuleMutation);
  const input = { rule: inputOf(entry) };
  return {
    attempt: async () =>
      (await trying.mutateAsync({ input: { ...input, id: rule?.id ?? null } })).tryBlockRule,
    save: async () => {
      const { userErrors } =
        rule === null
          ? (await adding.mutateAsync({ input })).addBlockRule
          : (await changing.mutateAsync({ input: { ...input, id: rule.id, revision: rule.revision ?? 0 } }))
              .changeBlockRule;
      if (userErrors.length === 0)
        tell('In effect on all instances within seconds; undo it for ten minutes.');
      return userErrors;
    },
  };
}
