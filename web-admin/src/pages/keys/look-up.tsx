import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { serverHref } from './server-href.js';
import styles from './keys.module.css';

/** A box that leads to the page of any server, stored or not. */
export function LookUp() {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  return (
    <form
      className={styles.lookUp}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') navigate(serverHref(name.trim()));
      }}
    >
      <TextInput
        aria-label="Server name"
        placeholder="matrix.org"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={255}
        spellCheck={false}
      />
      <Button type="submit">Look up</Button>
    </form>
  );
}
