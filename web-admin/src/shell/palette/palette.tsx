import { UnstyledButton } from '@mantine/core';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { Icon } from '../../ui/icons.js';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { UntrustedText } from '../../ui/text/untrusted-text.js';
import styles from '../shell.module.css';
import type { Target } from './targets.js';
import { useTargets } from './use-targets.js';

/** Goes to a page, server, site, address or media by typing: Ctrl-K (⌘K), or the button. */
export function Palette() {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const { targets, isSearching } = useTargets(text);
  return (
    <>
      <UnstyledButton
        className={styles.tool}
        aria-label="Go to"
        aria-keyshortcuts="Control+K"
        onClick={spotlight.open}
      >
        <Icon name="search" size={16} />
        <span className={styles.interval}>Go to</span>
      </UnstyledButton>
      <Spotlight.Root query={text} onQueryChange={setText} shortcut="mod + K" scrollable maxHeight={440}>
        <Spotlight.Search
          aria-label="Go to"
          placeholder="Server, address, site, media ID or page"
          onKeyDown={({ key }) => key === 'Enter' && goToFirst(targets, navigate)}
        />
        <Spotlight.ActionsList>
          {targets.map(({ kind, label, href }) => (
            <Spotlight.Action key={href} description={kind} onClick={() => navigate(href)}>
              <UntrustedText text={label} max={90} /> <small className={styles.kind}>{kind}</small>
            </Spotlight.Action>
          ))}
          {targets.length === 0 && (
            <Spotlight.Empty>
              {isSearching ? 'Searching …' : 'Nothing found. Type a whole server name, address or ID.'}
            </Spotlight.Empty>
          )}
        </Spotlight.ActionsList>
      </Spotlight.Root>
    </>
  );
}

/** Spotlight selects when the text changes; what is found later is not selected. */
function goToFirst([first]: readonly Target[], navigate: (href: string) => void): void {
  if (first === undefined || document.querySelector('[data-action][data-selected]') !== null) return;
  navigate(first.href);
  spotlight.close();
}
