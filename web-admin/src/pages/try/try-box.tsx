import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { useCan } from '../../session/viewer-context.js';
import { RUN_REQUEST, tryHref } from './try-href.js';
import styles from './try.module.css';

/** A small box that tries an address at once; for empty lists. Draws nothing for those who may not. */
export function TryBox() {
  const [url, setUrl] = useState('');
  const [, navigate] = useLocation();
  const can = useCan();
  if (!can('tryPreview')) return null;
  return (
    <form
      className={styles.box}
      onSubmit={(event) => {
        event.preventDefault();
        if (url.trim() !== '') navigate(tryHref(url.trim()), { state: RUN_REQUEST });
      }}
    >
      <TextInput
        aria-label="URL to try"
        placeholder="https://example.org/article"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        maxLength={8192}
        spellCheck={false}
      />
      <Button type="submit">Try</Button>
    </form>
  );
}
