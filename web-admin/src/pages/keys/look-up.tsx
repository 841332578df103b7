import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { serverHref } from '../hrefs.js';

/** A box that leads to the page of any server, stored or not. */
export function LookUp() {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  return (
    <Group
      component="form"
      justify="center"
      mt="sm"
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
    </Group>
  );
}
