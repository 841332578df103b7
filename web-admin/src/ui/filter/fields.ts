import { flag, oneOf, textOf, words as wordsParam, type Param } from '../../url/params.js';
import { instantOf } from './instant.js';

/** A set of buttons of which at most one is on. */
export interface ChipGroup {
  /** Names the set for screen readers. */
  label: string;
  value: string | null;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | null) => void;
}

export interface Select {
  label: string;
  value: string;
  data: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** A filter that is on and has no button of its own. */
export interface FilterPill {
  label: string;
  onRemove: () => void;
}

/** How a filter is drawn while it has a value. */
export interface Drawn {
  chips?: ChipGroup;
  select?: Select;
  pill?: FilterPill;
}

/** One filter of a list: in the address bar, on the page, typed in the search box, and in words. */
export interface Field<Value> {
  param: Param<Value>;
  draw(value: Value, set: (value: Value) => void): Drawn;
  /** For dialogs; null when it is not set. */
  words(value: Value): string | null;
  /** The value of a text typed behind the name and a colon; null: not understood. Absent: it cannot be typed. */
  read?(typed: string): Value | null;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type FilterOf<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
} & {
  q: string;
};

/** A filter by host in words. */
function hostWords(host: string, noun: string): string {
  if (host.startsWith('*.')) return `${noun}s below ${host.slice(2)}`;
  return host.startsWith('.') ? `${noun} ${host.slice(1)} with subdomains` : `${noun} ${host}`;
}

/** A host (or server), those below it (`*.`), or both (`.`). */
export function hostField(noun: 'host' | 'server'): Field<string> {
  return {
    param: wordsParam(),
    words: (host) => (host === '' ? null : hostWords(host, noun)),
    read: (typed) => (typed.trim() === '' ? null : typed.trim().toLowerCase()),
    draw: (host, set) => {
      if (host === '') return {};
      const name = host.replace(/^\*?\./, '');
      return {
        pill: { label: hostWords(host, noun), onRemove: () => set('') },
        chips: {
          label: 'Subdomains',
          value: host.startsWith('.') ? 'yes' : null,
          options: [{ value: 'yes', label: 'With subdomains' }],
          onChange: (value) => set(value === null ? name : `.${name}`),
        },
      };
    },
  };
}

/** A text; `says` puts it in words. `isMeant` rejects texts of another form. */
export function textField(
  says: (value: string) => string,
  { isMeant, isTyped = true }: { isMeant?: (text: string) => boolean; isTyped?: boolean } = {},
): Field<string> {
  const param = isMeant === undefined ? wordsParam() : textOf(isMeant);
  return {
    param,
    words: (value) => (value === '' ? null : says(value)),
    draw: (value, set) => (value === '' ? {} : { pill: { label: says(value), onRemove: () => set('') } }),
    ...(isTyped ? { read: (typed: string) => param.parse(typed) || null } : {}),
  };
}

type Words<Value extends string> = Readonly<Partial<Record<Value, string>>>;

/** One of a few values, as buttons; `options` names those that get one. */
export function choiceField<Value extends string>(
  label: string,
  values: readonly Value[],
  options: Words<Value>,
): Field<Value | null> {
  const param = oneOf(values);
  const shown = values.flatMap((value) => {
    const name = options[value];
    return name === undefined ? [] : [{ value, label: name }];
  });
  return {
    param,
    words: (value) => value?.toLowerCase() ?? null,
    read: (typed) => param.parse(typed.toUpperCase()),
    draw: (value, set) => ({
      chips: { label, value, options: shown, onChange: (next) => set(param.parse(next)) },
    }),
  };
}

/** One of many values, as a list to choose from; `any` stands for none. */
export function selectField<Value extends string>(
  label: string,
  any: string,
  options: Readonly<Record<Value, string>>,
): Field<Value | null> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a record of values are values
  const values = Object.keys(options) as Value[];
  const param = oneOf(values);
  const data = [{ value: '', label: any }, ...values.map((value) => ({ value, label: options[value] }))];
  return {
    param,
    words: (value) => (value === null ? null : options[value]),
    draw: (value, set) => ({
      select: { label, value: value ?? '', data, onChange: (next) => set(param.parse(next)) },
    }),
  };
}

/** Yes, no, or not said; a name for one of the two leaves out the other. */
export function flagField(label: string, { yes, no }: { yes?: string; no?: string }): Field<boolean | null> {
  const param = flag();
  const options = [
    ...(yes === undefined ? [] : [{ value: 'yes', label: yes }]),
    ...(no === undefined ? [] : [{ value: 'no', label: no }]),
  ];
  return {
    param,
    words: (value) => (value === null ? null : ((value ? yes : no) ?? `not ${yes ?? no}`).toLowerCase()),
    draw: (value, set) => ({
      chips: { label, value: param.format(value), options, onChange: (next) => set(param.parse(next)) },
    }),
  };
}

/** A value of the address that has a control of its own. */
export function plainField<Value>(
  param: Param<Value>,
  words: (value: Value) => string | null = () => null,
): Field<Value> {
  return { param, words, draw: () => ({}) };
}

const HOUR_MS = 3_600_000;
const SINCE_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS };
const isInstant = { isMeant: (text: string) => instantOf(text) !== null };

/** When it happened: a span to choose, or `from:2026-11-20` and `to:2026-11-21T09:30` to type. */
export const TIME = {
  since: selectField('Time', 'Any time', {
    hour: 'Last hour',
    day: 'Last day',
    week: 'Last week',
    month: 'Last 30 days',
  }),
  from: textField((from) => `after ${from.replace('T', ' ')}`, isInstant),
  to: textField((to) => `before ${to.replace('T', ' ')}`, isInstant),
};

/** Both ends for the API. A span begins at a full minute, so that polling asks the same question. */
export function timesOf({ since, from, to }: FilterOf<typeof TIME>): {
  after: string | null;
  before: string | null;
} {
  const minuteTs = Math.floor(Date.now() / 60_000) * 60_000;
  const start = since === null ? null : new Date(minuteTs - SINCE_MS[since]).toISOString();
  return { after: start ?? instantOf(from), before: instantOf(to) };
}

/** The filter in words for dialogs. */
export function filterWords<F extends Fields>(fields: F, filter: FilterOf<F>): string[] {
  const values: Readonly<Record<string, unknown>> = filter;
  const others = Object.entries(fields).map(([name, field]) => field.words(values[name]));
  return [filter.q === '' ? null : `“${filter.q}” in it`, ...others].filter((word) => word !== null);
}
