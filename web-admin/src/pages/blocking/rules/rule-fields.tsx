import { NativeSelect, Switch, TextInput } from '@mantine/core';

import { COMPONENTS, isAboutUrls, isAllowing, LISTS, OFTEN, type RuleEntry } from './rule-entry.js';
import styles from './rules.module.css';

interface RuleFieldsProps {
  entry: RuleEntry;
  onChange: (entry: RuleEntry) => void;
  /** Whether it may go to another list. */
  isNew: boolean;
}

/** What a rule says, to be typed. */
export function RuleFields({ entry, onChange, isNew }: RuleFieldsProps) {
  const list = LISTS.find(({ value }) => value === entry.list);
  return (
    <>
      <NativeSelect
        label="What it does"
        data={LISTS.map(({ value, label }) => ({ value, label }))}
        value={entry.list}
        disabled={!isNew}
        description={`List ${list?.value.toLowerCase() ?? ''}`}
        onChange={({ currentTarget: { value } }) => {
          const chosen = LISTS.find((one) => one.value === value);
          if (chosen !== undefined) onChange({ ...entry, list: chosen.value });
        }}
      />
      {isAboutUrls(entry.list) ? (
        <Parts entry={entry} onChange={onChange} />
      ) : (
        <Range entry={entry} onChange={onChange} />
      )}
      <TextInput
        label="Note"
        description="Why it is there; shown beside it and in the audit log"
        maxLength={200}
        value={entry.note}
        onChange={(event) => onChange({ ...entry, note: event.currentTarget.value })}
        autoComplete="off"
      />
      <Switch
        label="In effect"
        checked={entry.enabled}
        onChange={(event) => onChange({ ...entry, enabled: event.currentTarget.checked })}
      />
    </>
  );
}

function Range({ entry, onChange }: Pick<RuleFieldsProps, 'entry' | 'onChange'>) {
  return (
    <TextInput
      label="Address or range"
      description={RANGE_WORDS[isAllowing(entry.list) ? 'allow' : 'refuse']}
      placeholder="192.0.2.0/24"
      required
      maxLength={50}
      value={entry.range}
      onChange={(event) => onChange({ ...entry, range: event.currentTarget.value })}
      {...PLAIN}
    />
  );
}

const PLAIN = { autoComplete: 'off', spellCheck: false } as const;

const RANGE_WORDS = {
  refuse: 'Nothing there is contacted, whatever name leads to it',
  allow:
    'Addresses refused by default, such as private networks, are opened in the configuration only, unless admin.internal_ranges is set',
};

function Parts({ entry, onChange }: Pick<RuleFieldsProps, 'entry' | 'onChange'>) {
  const isUsed = (name: string) => (entry.parts[name] ?? '') !== '';
  const rest = COMPONENTS.slice(OFTEN);
  const input = ({ name, label, example }: (typeof COMPONENTS)[number]) => (
    <TextInput
      key={name}
      label={label}
      placeholder={example}
      maxLength={500}
      value={entry.parts[name] ?? ''}
      onChange={(event) =>
        onChange({ ...entry, parts: { ...entry.parts, [name]: event.currentTarget.value } })
      }
      {...PLAIN}
    />
  );
  return (
    <fieldset className={styles.parts}>
      <legend>Parts that have to match, all of them</legend>
      <p className={styles.small}>
        * stands for any text, ? for one character; what begins with ^ is a regular expression (RE2).
      </p>
      <div className={styles.more}>{COMPONENTS.slice(0, OFTEN).map(input)}</div>
      <details open={rest.some(({ name }) => isUsed(name))}>
        <summary>More parts</summary>
        <div className={styles.more}>{rest.map(input)}</div>
      </details>
    </fieldset>
  );
}
