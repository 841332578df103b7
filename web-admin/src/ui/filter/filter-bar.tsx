import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Icon } from '../icons.js';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';

import { Chips, type ChipGroup } from './chips.js';
import { readQualifiers, readUnfinished, type Qualifiers, type TypedSearch } from './qualifiers.js';
import styles from './filter.module.css';

export interface FilterBarProps {
  /** The committed words, from the address bar. */
  search: string;
  onSearch: (words: string) => void;
  /** Says what is searched and which qualifiers there are: "Name, or state: failing:". */
  placeholder: string;
  groups?: readonly ChipGroup[];
  /** Typed `name:value` → what it sets, and it leaves the box; what is not understood stays as a word. */
  qualifiers?: Qualifiers;
  /** By the name of a qualifier, what may be typed after it; shown while it stands in the box. */
  hints?: Readonly<Record<string, string>>;
  /** Active filters without a chip of their own, e.g. a host. */
  pills?: readonly { label: string; onRemove: () => void }[];
  /** More controls at the end, e.g. a date. */
  children?: ReactNode;
}

/** A search begins when nothing was typed for so long. */
const REST_MS = 300;

/**
 * One search box and chips, bound to the address bar. `/` focuses the box; what is typed is searched for after a rest
 * or with Enter, and the focus stays; Escape empties it.
 */
export function FilterBar(props: FilterBarProps) {
  const { search, onSearch, placeholder, groups = [], qualifiers = {}, hints = {}, pills = [] } = props;
  const onFound = ({ words, changes }: TypedSearch) => {
    for (const set of changes.values()) set();
    if (words !== search) onSearch(words);
  };
  return (
    <div className={styles.bar} role="search">
      <SearchBox
        committed={search}
        placeholder={placeholder}
        known={qualifiers}
        hints={hints}
        onFound={onFound}
      />
      {groups.map((group) => (
        <Chips key={group.label} group={group} />
      ))}
      {pills.map(({ label, onRemove }) => (
        <button
          key={label}
          type="button"
          className={styles.pill}
          onClick={onRemove}
          aria-label={`Remove filter ${label}`}
        >
          <bdi>{label}</bdi> <Icon name="x" size={12} />
        </button>
      ))}
      {props.children}
    </div>
  );
}

interface SearchBoxProps extends Required<Pick<FilterBarProps, 'placeholder' | 'hints'>> {
  committed: string;
  known: Qualifiers;
  onFound: (found: TypedSearch) => void;
}

/** The text in the box, the words it stands for, and what happens to them. */
function useTyped({ committed, known, onFound }: Pick<SearchBoxProps, 'committed' | 'known' | 'onFound'>) {
  const [typed, setTyped] = useState(committed);
  const handedOver = useRef(committed);
  useEffect(() => {
    // Changed elsewhere, by Back or a link: the box follows. Its own words are what it says already.
    if (committed === handedOver.current) return;
    handedOver.current = committed;
    setTyped(committed);
  }, [committed]);
  const handOver = (found: TypedSearch, rest: string) => {
    handedOver.current = found.words;
    setTyped(rest);
    onFound(found);
  };
  const onRest = useDebouncedCallback((text: string) => {
    const found = readUnfinished(text, known);
    if (found !== null) handOver(found, found.rest);
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
      handOver(found, found.words);
    },
  };
}

function SearchBox({ placeholder, hints, ...search }: SearchBoxProps) {
  const { typed, type, finish } = useTyped(search);
  const hintId = useId();
  const hint = Object.entries(hints).find(([name]) => typed.toLowerCase().includes(`${name}:`))?.[1];
  return (
    <form
      className={styles.search}
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
        {...(hint === undefined ? {} : { 'aria-describedby': hintId })}
      />
      {hint !== undefined && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
    </form>
  );
}
