import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

import { Icon } from '../icons.js';
import { readQualifiers, readUnfinished, type Qualifiers, type TypedSearch } from './qualifiers.js';

/** A filter that can be typed. */
export interface TypedField {
  name: string;
  read: (typed: string) => unknown;
  set: (value: unknown) => void;
  reset: () => void;
}

interface SearchBoxProps {
  /** The words in the address bar. */
  committed: string;
  placeholder: string;
  fields: readonly TypedField[];
  onWords: (words: string) => void;
}

/** A search begins when nothing was typed for so long. */
const REST_MS = 300;

/** What is typed counts after a rest or with Enter, and the focus stays; Escape empties the box. */
export function SearchBox({ placeholder, ...search }: SearchBoxProps) {
  const { typed, type, finish } = useTyped(search);
  return (
    <form
      className="v-search"
      onSubmit={(event) => {
        event.preventDefault();
        finish(typed);
      }}
    >
      <TextInput
        aria-label="Search"
        placeholder={placeholder}
        leftSection={<Icon name="search" size={15} />}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && typed !== '') finish('');
        }}
        maxLength={2_000}
        spellCheck={false}
        data-page-search
      />
    </form>
  );
}

function useTyped({ committed, fields, onWords }: Pick<SearchBoxProps, 'committed' | 'fields' | 'onWords'>) {
  const [typed, setTyped] = useState(committed);
  const handedOver = useRef(committed);
  /** The filter that what stands at the end of the box has set. */
  const live = useRef<string | null>(null);
  useEffect(() => {
    // Changed elsewhere, by Back or a link: the box follows. Its own words are what it says already.
    if (committed === handedOver.current) return;
    handedOver.current = committed;
    setTyped(committed);
  }, [committed]);
  const known = qualifiersOf(fields);
  const handOver = (
    { words, changes }: TypedSearch,
    { rest, open }: { rest: string; open: string | null },
  ) => {
    const before = live.current;
    if (before !== null && !changes.has(before)) fields.find(({ name }) => name === before)?.reset();
    live.current = open !== null && changes.has(open) ? open : null;
    handedOver.current = words;
    setTyped(rest);
    for (const set of changes.values()) set();
    onWords(words);
  };
  const onRest = useDebouncedCallback((text: string) => {
    const found = readUnfinished(text, known);
    if (found !== null) handOver(found, found);
  }, REST_MS);
  return {
    typed,
    type: (text: string) => {
      setTyped(text);
      onRest(text);
    },
    finish: (text: string) => {
      onRest.cancel();
      const found = readQualifiers(text.trim(), known);
      handOver(found, { rest: found.words, open: null });
    },
  };
}

function qualifiersOf(fields: readonly TypedField[]): Qualifiers {
  return Object.fromEntries(
    fields.map(({ name, read, set }) => [
      name,
      (text: string) => {
        const value = read(text);
        return value === null ? null : () => set(value);
      },
    ]),
  );
}
