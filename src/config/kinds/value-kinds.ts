import { z } from 'zod';
import type { Kind } from './setting.js';
import { formatDuration, formatSize, parseDuration, parseSize } from './units.js';

interface Bounds {
  readonly min?: number | string;
  readonly max?: number | string;
}

/** A kind without unit whose `form` also is the message of each of its errors. */
export function kindOf<S extends z.ZodType>(schema: S, form: string): Kind<S> {
  return { schema, form, brief: form, unit: null, isPath: false };
}

/** Reports a value through `context`; `problem` completes "NAME: …", the kind's form stays the wanted form. */
export function objectTo(context: z.RefinementCtx, form: string, problem: string): never {
  context.addIssue({ code: 'custom', message: form, params: { problem } });
  return z.NEVER;
}

export const flag = () => {
  const form = 'true or false';
  return kindOf(z.boolean({ error: form }), form);
};

export const count = (min: number, max: number) => {
  const form = `a whole number from ${min} to ${max}`;
  return kindOf(z.int({ error: form }).min(min, { error: form }).max(max, { error: form }), form);
};

export const choice = <const T extends readonly [string, ...string[]]>(words: T) => {
  const form = words.length === 1 ? words[0] : `one of ${words.join(', ')}`;
  return kindOf(z.enum(words, { error: form }), form);
};

/** Text that satisfies a pattern. Only for operators' words, so any linear pattern will do. */
export const text = (form: string, pattern: RegExp) =>
  kindOf(z.string({ error: form }).regex(pattern, { error: form }), form);

export const path = (what: string) => {
  const form = `the path of ${what}`;
  return { ...kindOf(z.string({ error: form }).min(1, { error: form }), form), isPath: true };
};

export const list = <S extends z.ZodType>(of: Kind<S>, max = 10_000): Kind<z.ZodArray<S>> => {
  const form = `a list, each entry ${of.form}`;
  return {
    ...of,
    schema: z.array(of.schema, { error: form }).max(max, { error: `at most ${max} entries` }),
    form,
    brief: form,
  };
};

/** Milliseconds, written as a whole number of them or with a unit. */
export const duration = (bounds: Bounds = {}) =>
  quantity(bounds, {
    unit: 'duration',
    brief: 'duration',
    form: 'a duration such as 500ms, 10s, 5m, 1h, 1d, 1w or 1y',
    parse: parseDuration,
    format: formatDuration,
  });

const SIZE = { unit: 'size', parse: parseSize, format: formatSize } as const;

/** Bytes, written as a whole number of them or with K, M or G. */
export const size = (bounds: Bounds = {}) =>
  quantity(bounds, { ...SIZE, brief: 'size', form: 'a size in bytes or such as 512K, 10M or 1G' });

export const pixels = (bounds: Bounds = {}) =>
  quantity(bounds, { ...SIZE, brief: 'pixels', form: 'a number of pixels or such as 512K or 32M' });

interface Quantity extends Pick<Kind, 'form' | 'brief' | 'unit'> {
  readonly parse: (value: number | string) => number | null;
  readonly format: (value: number) => string;
}

function quantity(bounds: Bounds, { unit, brief, form: name, parse, format }: Quantity) {
  const min = parse(bounds.min ?? 0) ?? 0;
  const max = bounds.max === undefined ? null : parse(bounds.max);
  const limits = max === null ? `at least ${format(min)}` : `${format(min)} to ${format(max)}`;
  const suffix = min === 0 && max === null ? '' : `, ${limits}`;
  const form = name + suffix;
  const schema = z.union([z.number(), z.string()], { error: form }).transform((written, context) => {
    const value = parse(written);
    if (value !== null && value >= min && (max === null || value <= max)) return value;
    context.addIssue({ code: 'custom', message: form });
    return z.NEVER;
  });
  return { schema, form, brief: brief + suffix, unit, isPath: false } satisfies Kind<typeof schema>;
}
