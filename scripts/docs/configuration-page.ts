import { listSettings, type NamedSetting } from '../../src/config/setting-tree.js';
import { SECTIONS } from '../../src/config/schema.js';
import { code, table } from './markdown.js';

/** `docs/reference/configuration.md`: every setting with form, default and meaning. */
export function configurationPage(): string {
  return [
    '# Configuration',
    'Made from the schema of the settings by `npm run docs`. One YAML file; [config.sample.yaml](../../config.sample.yaml) has every setting in place, [config.schema.json](../../config.schema.json) is for editors. Only `server_name` has no default. Durations are milliseconds, or a number with `ms`, `s`, `m`, `h`, `d`, `w` or `y`; sizes bytes, or a number with `K`, `M` or `G`. Relative paths count from the folder of the file. Variables override it: `VIDIMUS__DATABASE__ENGINE=postgresql`. What is live changes in the running service when it gets the signal HUP; the rest needs a restart.',
    ...SECTIONS.flatMap(({ title, settings }) => [
      `## ${title}`,
      table(['setting', 'form', 'default', 'meaning'], listSettings(settings).map(row)),
    ]),
  ].join('\n\n').concat('\n');
}

function row({ name, about }: NamedSetting): string[] {
  return [code(name), about.kind.brief, stateOf(about), `${about.doc}${about.live ? ' (live)' : ''}`];
}

function stateOf({ required, default: usual, example }: NamedSetting['about']): string {
  if (required) return `required, such as ${value(example)}`;
  return usual === undefined ? `unset; such as ${value(example)}` : value(usual);
}

function value(given: unknown): string {
  return code(typeof given === 'string' && given !== '' ? given : JSON.stringify(given));
}
