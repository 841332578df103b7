import { TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';

import { Chips, type ChipGroup } from './chips.js';
import { readQualifiers } from './qualifiers.js';
import styles from './filter.module.css';

export interface FilterBarProps {
  /** The committed words, from the address bar. */
  search: string;
  onSearch: (words: string) => void;
  /** Says what is searched and which qualifiers there are: "Name, or state: failing:". */
  placeholder: string;
  groups?: readonly ChipGroup[];
  /** Typed `name:value` → what to do with the value; it leaves the box. */
  qualifiers?: Readonly<Record<string, (value: string) => void>>;
  /** Active filters without a chip of their own, e.g. a host. */
  pills?: readonly { label: string; onRemove: () => void }[];
  /** More controls at the end, e.g. a date. */
  children?: ReactNode;
}

/** One search box and chips, bound to the address bar. `/` focuses the box, Enter searches, Escape empties it. */
export function FilterBar(props: FilterBarProps) {
  const { search, onSearch, placeholder, groups = [], qualifiers = {}, pills = [], children } = props;
  const commit = (typed: string) => {
    const found = readQualifiers(typed, Object.keys(qualifiers));
    for (const [name, value] of found.qualifiers) qualifiers[name]?.(value);
    onSearch(found.words);
    return found.words;
  };
  return (
    <div className={styles.bar} role="search">
      <SearchBox key={search} committed={search} placeholder={placeholder} onCommit={commit} />
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
          <bdi>{label}</bdi> <IconX size={12} aria-hidden="true" />
        </button>
      ))}
      {children}
    </div>
  );
}

interface SearchBoxProps {
  committed: string;
  placeholder: string;
  /** Returns the words that stay in the box. */
  onCommit: (typed: string) => string;
}

function SearchBox({ committed, placeholder, onCommit }: SearchBoxProps) {
  const [typed, setTyped] = useState(committed);
  return (
    <form
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault();
        setTyped(onCommit(typed.trim()));
      }}
    >
      <TextInput
        aria-label="Search"
        placeholder={placeholder}
        leftSection={<IconSearch size={15} stroke={1.75} />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || typed === '') return;
          setTyped('');
          if (committed !== '') onCommit('');
        }}
        maxLength={2_000}
        spellCheck={false}
        data-page-search
      />
    </form>
  );
}
