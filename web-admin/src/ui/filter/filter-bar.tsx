import { Button, Group, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';

import type { ListView } from '../table/list-view.js';
import { Icon } from '../icons.js';
import type { ChipGroup, Drawn, Fields } from './fields.js';
import { SearchBox } from './search-box.js';

interface FilterBarProps {
  view: Pick<ListView<string, Fields>, 'filter' | 'setFilter' | 'fields'>;
  /** Says what is searched and which filters can be typed. */
  placeholder: string;
  /** More controls at the end. */
  children?: ReactNode;
}

/** One search box and the filters of a list, bound to the address bar. */
export function FilterBar({ view, placeholder, children }: FilterBarProps) {
  const values: Readonly<Record<string, unknown>> = view.filter;
  const set = (patch: Record<string, unknown>) => view.setFilter(patch);
  const entries = Object.entries(view.fields);
  const drawn = entries.map(([name, field]): Drawn =>
    field.draw(values[name], (value) => set({ [name]: value })),
  );
  const typed = entries.flatMap(([name, field]) =>
    field.read === undefined
      ? []
      : [
          {
            name,
            read: (text: string) => field.read?.(text) ?? null,
            set: (value: unknown) => set({ [name]: value }),
            reset: () => set({ [name]: field.param.parse(null) }),
          },
        ],
  );
  return (
    <Group role="search" gap="xs" mb="sm">
      <SearchBox
        committed={view.filter.q}
        placeholder={placeholder}
        fields={typed}
        onWords={(q) => q !== view.filter.q && set({ q })}
      />
      <Controls drawn={drawn} />
      {children}
    </Group>
  );
}

/** Buttons first, then the filters without one, then lists to choose from. */
function Controls({ drawn }: { drawn: readonly Drawn[] }) {
  return (
    <>
      {drawn.map(({ chips }) => chips && <Chips key={chips.label} group={chips} />)}
      {drawn.map(
        ({ pill }) =>
          pill && (
            <Button
              key={pill.label}
              variant="light"
              radius="xl"
              rightSection={<Icon name="x" size={12} />}
              aria-label={`Remove filter ${pill.label}`}
              onClick={pill.onRemove}
            >
              <bdi>{pill.label}</bdi>
            </Button>
          ),
      )}
      {drawn.map(
        ({ select }) =>
          select && (
            <NativeSelect
              key={select.label}
              aria-label={select.label}
              value={select.value}
              data={[...select.data]}
              onChange={(event) => select.onChange(event.currentTarget.value)}
            />
          ),
      )}
    </>
  );
}

/** Buttons of which at most one is on; pressing that one switches it off. */
export function Chips({ group: { label, value: chosen, options, onChange } }: { group: ChipGroup }) {
  return (
    <Group gap={4} role="group" aria-label={label}>
      {options.map(({ value, label: name }) => (
        <Button
          key={value}
          variant={chosen === value ? 'light' : 'default'}
          radius="xl"
          aria-pressed={chosen === value}
          onClick={() => onChange(chosen === value ? null : value)}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}
