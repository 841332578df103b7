/** How one parameter of the address bar is read and written. `format` gives null to leave it out. */
export interface Param<Value> {
  parse(text: string | null): Value;
  format(value: Value): string | null;
}

export type Shape = Record<string, Param<unknown>>;
export type ValuesOf<S extends Shape> = {
  [Key in keyof S]: S[Key] extends Param<infer Value> ? Value : never;
};

/** A text; absent is `fallback`. */
export function text(fallback = ''): Param<string> {
  return { parse: (raw) => raw ?? fallback, format: (value) => (value === fallback ? null : value) };
}

/** A text as the server reads it in a filter: blanks around it do not count. */
export function words(): Param<string> {
  return {
    parse: (raw) => raw?.trim() ?? '',
    format: (value) => (value.trim() === '' ? null : value.trim()),
  };
}

/** A text of one form; any other counts as absent (the empty text). */
export function textOf(isMeant: (text: string) => boolean): Param<string> {
  return {
    parse: (raw) => (raw !== null && isMeant(raw) ? raw : ''),
    format: (value) => (isMeant(value) ? value : null),
  };
}

/** One of a fixed list; anything else in the address counts as absent (null). */
export function oneOf<Value extends string>(allowed: readonly Value[]): Param<Value | null> {
  return { parse: (raw) => allowed.find((known) => known === raw) ?? null, format: (value) => value };
}

/** One of a fixed list with a default that is left out of the address. */
export function choice<Value extends string>(allowed: readonly Value[], fallback: Value): Param<Value> {
  return {
    parse: (raw) => allowed.find((known) => known === raw) ?? fallback,
    format: (value) => (value === fallback ? null : value),
  };
}

/** yes / no / not said (null). In links made elsewhere `true` and `false` say the same. */
export function flag(): Param<boolean | null> {
  return {
    parse: (raw) => (raw === 'yes' || raw === 'true' ? true : raw === 'no' || raw === 'false' ? false : null),
    format: (value) => (value === null ? null : value ? 'yes' : 'no'),
  };
}

/** A whole number from `min` to `max`. */
export function whole(fallback: number, min: number, max: number): Param<number> {
  return {
    parse: (raw) => {
      const value = Number(raw);
      return raw !== null && Number.isInteger(value) && value >= min && value <= max ? value : fallback;
    },
    format: (value) => (value === fallback ? null : String(value)),
  };
}
