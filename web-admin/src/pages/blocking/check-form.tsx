import { Button, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';

import styles from './blocking.module.css';

interface CheckFormProps {
  url: string;
  isResolved: boolean;
  onCheck: (url: string) => void;
  onResolve: (on: boolean) => void;
}

/** The address to check. */
export function CheckForm({ url, isResolved, onCheck, onResolve }: CheckFormProps) {
  const [typed, setTyped] = useState(url);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onCheck(typed.trim());
      }}
    >
      <TextInput
        aria-label="URL to check"
        placeholder="https://example.org/path"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={8000}
        spellCheck={false}
        data-page-search
      />
      <Switch
        label="Look the name up"
        checked={isResolved}
        onChange={(event) => onResolve(event.currentTarget.checked)}
      />
      <Button type="submit" variant="filled" disabled={typed.trim() === ''}>
        Check
      </Button>
    </form>
  );
}
