import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../../api/use-change.js';
import { useHold } from '../../../live/live-context.js';
import { useSubmit } from '../../../ui/dialog/use-submit.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { UserErrors } from '../../../ui/dialog/user-errors.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import dialog from '../../../ui/dialog/dialog.module.css';
import { addRuleMutation, tryRuleMutation, type TrialData } from './rule-mutations.js';
import styles from './rules.module.css';

interface RuleDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Blocks a host or a pattern: first what it would have refused, then it holds. */
export function RuleDialog({ opened, onClose }: RuleDialogProps) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} title="Block a host or a pattern" size="lg">
      {opened && <RuleForm onClose={onClose} />}
    </Modal>
  );
}

function RuleForm({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState({ text: '', withSubdomains: false });
  const [trial, setTrial] = useState<TrialData | null>(null);
  const { attempt, add } = useRule(patternOf(typed));
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    if (trial === null) {
      const tried = await attempt();
      setTrial(tried.trial ?? null);
      return tried.userErrors;
    }
    const found = await add();
    if (found.length === 0) onClose();
    return found;
  });
  const change = (changed: Partial<Typed>) => {
    setTyped({ ...typed, ...changed });
    setTrial(null);
  };
  return (
    <form className={dialog.body} onSubmit={onSubmit}>
      <Inputs typed={typed} onChange={change} />
      {trial !== null && <Trial trial={trial} />}
      <UserErrors errors={errors} />
      <div className={dialog.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          {trial === null ? 'See what it would refuse' : 'Block'}
        </Button>
      </div>
    </form>
  );
}

function useRule(pattern: string) {
  const tell = useTell();
  const trying = useChange(tryRuleMutation);
  const adding = useChange(addRuleMutation);
  const input = { pattern };
  return {
    attempt: async () => (await trying.mutateAsync(input)).tryBlockRule,
    add: async () => {
      const { userErrors } = (await adding.mutateAsync(input)).addBlockRule;
      if (userErrors.length === 0) tell('In effect on all instances within seconds.');
      return userErrors;
    },
  };
}

interface Typed {
  text: string;
  withSubdomains: boolean;
}

function Inputs({ typed, onChange }: { typed: Typed; onChange: (changed: Partial<Typed>) => void }) {
  return (
    <>
      <TextInput
        label="Host or pattern"
        description="example.org, or host and path with * and ?, such as *.example.org/ads/*"
        value={typed.text}
        maxLength={500}
        spellCheck={false}
        data-autofocus
        onChange={(event) => onChange({ text: event.currentTarget.value })}
      />
      <Checkbox
        label="Also its subdomains"
        checked={typed.withSubdomains}
        onChange={(event) => onChange({ withSubdomains: event.currentTarget.checked })}
      />
    </>
  );
}

/** An address is taken for its host. */
function patternOf({ text, withSubdomains }: Typed): string {
  const trimmed = text.trim();
  const host = trimmed.replace(/^[a-z][a-z0-9+.-]*:\/\/([^/]*).*$/i, '$1');
  return withSubdomains && !host.startsWith('.') ? `.${host}` : trimmed;
}

/** What a pattern would have refused of the latest addresses. */
function Trial({ trial: { tried, refused, examples } }: { trial: TrialData }) {
  return (
    <div className={styles.trial} role="status">
      <p>
        {`Would have refused ${refused.toLocaleString('en')} of the last ${tried.toLocaleString('en')} addresses.`}
      </p>
      {examples.length > 0 && (
        <ul className={styles.examples} aria-label="Would be refused">
          {examples.map((url) => (
            <li key={url}>
              <UntrustedText text={url} max={90} mono />
            </li>
          ))}
          {refused > examples.length && <li>and others</li>}
        </ul>
      )}
    </div>
  );
}
