import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';

import type { TryOptions } from './try-options.js';
import styles from './try.module.css';

interface TryFormProps {
  url: string;
  options: TryOptions;
  isBusy: boolean;
  onOptions: (options: TryOptions) => void;
  onRun: (url: string) => void;
  onCancel: () => void;
}

/** The address and how it is tried. */
export function TryForm({ url, options, isBusy, onOptions, onRun, onCancel }: TryFormProps) {
  const [typed, setTyped] = useTyped(url);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isBusy) onCancel();
        else if (typed.trim() !== '') onRun(typed.trim());
      }}
    >
      <div className={styles.address}>
        <TextInput
          aria-label="URL to try"
          placeholder="https://example.org/article"
          size="md"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          maxLength={8192}
          spellCheck={false}
          autoFocus={url === ''}
          data-page-search
        />
        <Button
          type="submit"
          variant={isBusy ? 'default' : 'filled'}
          size="md"
          disabled={!isBusy && typed.trim() === ''}
        >
          {isBusy ? 'Cancel' : 'Try'}
        </Button>
      </div>
      <Options options={options} onChange={(patch) => onOptions({ ...options, ...patch })} />
    </form>
  );
}

/** What is in the box. Back and forward in the history change it, too; the form stays, and with it the focus. */
function useTyped(url: string) {
  const [typed, setTyped] = useState(url);
  const [shownUrl, setShownUrl] = useState(url);
  if (shownUrl !== url) {
    setShownUrl(url);
    setTyped(url);
  }
  return [typed, setTyped] as const;
}

interface OptionsProps {
  options: TryOptions;
  onChange: (patch: Partial<TryOptions>) => void;
}

function Options({ options, onChange }: OptionsProps) {
  return (
    <div className={styles.options}>
      <Checkbox
        label="Ignore both caches"
        description="Off: use cached results"
        checked={options.ignoreCaches}
        onChange={(event) => onChange({ ignoreCaches: event.currentTarget.checked })}
      />
      <Checkbox
        label="Store the result"
        description="Replaces what is stored"
        checked={options.store}
        onChange={(event) => onChange({ store: event.currentTarget.checked })}
      />
      <TextInput
        type="datetime-local"
        label="As of (UTC)"
        description="Optional, defaults to now"
        value={options.at}
        onChange={(event) => onChange({ at: event.currentTarget.value })}
      />
      <TextInput
        label="Languages"
        description="Defaults to the configured languages"
        placeholder="de-AT, en;q=0.5"
        value={options.languages}
        onChange={(event) => onChange({ languages: event.currentTarget.value })}
        maxLength={400}
        spellCheck={false}
      />
    </div>
  );
}
