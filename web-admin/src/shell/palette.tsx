import { Button, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '@mantine/spotlight/styles.css';
import { useId, useMemo, useState } from 'react';
import { useLocation } from 'wouter';

import { useQuery } from '../api/use-query.js';
import { graphql } from '../gql/gql.js';
import { useViewer } from '../session/viewer-context.js';
import { Icon } from '../ui/icons.js';
import { UntrustedText } from '../ui/text/text.js';
import { foundTargets, literalTargets, pageTargets, type Target } from './targets.js';

/** A few of each, as their lists find them: bounded, and without what is hidden from this role. */
const jumpQuery = graphql(`
  query Jump($text: String!) {
    servers(first: 5, filter: { search: $text }) {
      nodes {
        name
      }
    }
    previews(first: 5, filter: { search: $text }) {
      nodes {
        id
        url
        host
      }
    }
    media(first: 4, filter: { search: $text }) {
      nodes {
        mediaId
      }
    }
  }
`);

/** Goes to a page, server, site, address or media by typing: Ctrl-K (⌘K), or the button. */
export function Palette() {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const { targets, isSearching } = useTargets(text);
  const list = useId();
  const [selected, setSelected] = useState<string>();
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        px={6}
        leftSection={<Icon name="search" />}
        aria-label="Go to"
        aria-keyshortcuts="Control+K"
        onClick={spotlight.open}
      >
        <Text component="span" inherit visibleFrom="sm">
          Go to
        </Text>
      </Button>
      <Spotlight.Root query={text} onQueryChange={setText} shortcut="mod + K" scrollable maxHeight={440}>
        <Spotlight.Search
          aria-label="Go to"
          role="combobox"
          aria-expanded
          aria-autocomplete="list"
          aria-controls={list}
          placeholder="Server, URL, host, media ID or page"
          aria-activedescendant={selected}
          onKeyDown={({ key }) => {
            if (key === 'Enter') goToFirst(targets, navigate);
            // Spotlight marks the selected action for the eye alone.
            else setTimeout(() => setSelected(document.querySelector(SELECTED)?.id));
          }}
        />
        <Spotlight.ActionsList id={list} role="listbox" aria-label="Found">
          {targets.map(({ kind, label, href }, index) => (
            <Spotlight.Action
              key={href}
              id={`${list}-${index}`}
              role="option"
              aria-selected={selected === `${list}-${index}`}
              onClick={() => navigate(href)}
            >
              <UntrustedText text={label} max={90} />{' '}
              <Text component="span" size="xs" ml="auto">
                {kind}
              </Text>
            </Spotlight.Action>
          ))}
        </Spotlight.ActionsList>
        {targets.length === 0 && <Nothing isSearching={isSearching} />}
      </Spotlight.Root>
    </>
  );
}

function Nothing({ isSearching }: { isSearching: boolean }) {
  return (
    <Spotlight.Empty>
      {isSearching ? 'Searching …' : 'Nothing found. Enter a full server name, URL or ID.'}
    </Spotlight.Empty>
  );
}

const SELECTED = '[data-action][data-selected]';

/** Spotlight selects when the text changes; what is found later is not selected. */
function goToFirst([first]: readonly Target[], navigate: (href: string) => void): void {
  if (first === undefined || document.querySelector(SELECTED) !== null) return;
  navigate(first.href);
  spotlight.close();
}

const SETTLE_MS = 200;
const MAX = 20;
const MAX_CHARACTERS = 500;

/** What is offered for a text: pages, what lists found, and what the text itself may be. */
function useTargets(text: string): { targets: Target[]; isSearching: boolean } {
  const { role } = useViewer();
  const wanted = text.trim().slice(0, MAX_CHARACTERS);
  const [settled] = useDebouncedValue(wanted, SETTLE_MS);
  const { data, isFetching } = useQuery(jumpQuery, { text: settled }, { isOff: settled === '' });
  const targets = useMemo(() => {
    const pages = pageTargets(wanted, role);
    if (wanted === '') return pages;
    const found = settled === wanted && data !== undefined ? foundTargets(data) : [];
    const all = [...pages, ...found, ...literalTargets(wanted, role)];
    // Each address once, as it was first named.
    return all.filter(({ href }, at) => all.findIndex((one) => one.href === href) === at).slice(0, MAX);
  }, [wanted, settled, role, data]);
  return { targets, isSearching: wanted !== settled || isFetching };
}
