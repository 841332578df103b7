import { z } from 'zod';

/** A form of value (duration, path, list of …): its check, the words that describe it, how it is shown. */
export interface Kind<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** Completes "expected: …" in errors. */
  readonly form: string;
  /** The form in the sample, where units are explained at the top. */
  readonly brief: string;
  /** How `config show` prints numbers; null prints them as they are. */
  readonly unit: 'duration' | 'size' | null;
  /** Text values are file paths, relative ones counted from the folder of the configuration file. */
  readonly isPath: boolean;
}

/** What is known of one setting beside its check. */
export interface SettingAbout {
  readonly type: 'setting';
  readonly kind: Kind;
  /** As an operator would write it; undefined when the setting is unset by default. */
  readonly default: unknown;
  /** For settings without a default: what the sample shows. */
  readonly example: unknown;
  readonly doc: string;
  readonly required: boolean;
  /** Values carry passwords: never printed in errors, masked by `config show`. */
  readonly secret: boolean;
  /** A reload applies it to the running service; others need a restart. */
  readonly live: boolean;
}

export interface GroupAbout {
  readonly type: 'group';
  readonly doc: string;
  readonly shape: Readonly<Record<string, z.ZodType>>;
}

export type About = SettingAbout | GroupAbout;

export const ABOUT = new WeakMap<z.ZodType, About>();

interface Doc {
  readonly doc: string;
  readonly secret?: boolean;
  readonly live?: boolean;
}

/** A setting with a default, given in the form operators write. */
export function setting<S extends z.ZodType>(kind: Kind<S>, about: Doc & { default: z.input<S> }) {
  const schema = kind.schema.prefault(() => structuredClone(about.default));
  return known(schema, kind, { ...about, example: undefined, required: false });
}

/** A setting that may be absent: `null` in the configuration then. `example` is what the sample shows. */
export function optional<S extends z.ZodType>(kind: Kind<S>, about: Doc & { example: z.input<S> }) {
  const schema = kind.schema.optional().transform((value) => value ?? null);
  return known(schema, kind, { ...about, default: undefined, required: false });
}

export function required<S extends z.ZodType>(kind: Kind<S>, about: Doc & { example: z.input<S> }) {
  return known(z.clone(kind.schema), kind, { ...about, default: undefined, required: true });
}

/** A group of settings; absent means all its defaults. */
export function group<T extends Record<string, z.ZodType>>(doc: string, shape: T) {
  const members = z.strictObject(shape, { error: 'a map of settings' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- required members are reported when it is parsed
  const schema = members.prefault({} as never);
  ABOUT.set(schema, { type: 'group', doc, shape });
  return schema;
}

function known<T extends z.ZodType>(
  schema: T,
  kind: Kind,
  about: Doc & Pick<SettingAbout, 'default' | 'example' | 'required'>,
): T {
  ABOUT.set(schema, { type: 'setting', kind, secret: false, live: false, ...about });
  return schema;
}
