import { stringify } from 'yaml';
import type { z } from 'zod';
import { SECTIONS } from '../schema.js';
import type { SettingAbout } from '../kinds/setting.js';
import { aboutOf } from '../setting-tree.js';

const HEAD = `# yaml-language-server: $schema=config.schema.json
# Configuration of Vidimus. Editors check it if "vidimus config schema --output config.schema.json" runs beside it.
#
# Every setting is listed. Lines that begin with "# " explain. Lines that begin with "#" and a name are settings
# with their defaults: remove the "#" to change one. Only server_name has no default.
#
# Durations: whole milliseconds, or a number with ms, s, m, h, d, w or y. Sizes: bytes, or a number with K, M or G
# (powers of 1024). Relative paths count from the folder of this file. Unknown names are errors.
# Variables override the file: VIDIMUS__MAX_SPIDER_SIZE=5M, VIDIMUS__DATABASE__ENGINE=postgresql,
# VIDIMUS__FEDERATION_DOMAIN_WHITELIST='[example.org]'.
# A reload (signal HUP) applies settings marked "live"; others need a restart.
`;

/**
 * The text of a configuration file with every setting at its default, explained and commented out.
 * With a server name it is complete; with null that line is commented out too and has to be filled in.
 */
export function generateSample(serverName: string | null = null): string {
  const sections = SECTIONS.map(({ title, settings }) => `\n# ---- ${title} ----\n${entries(settings, '')}`);
  const text = HEAD + sections.join('');
  return serverName === null
    ? text
    : text.replace(/^#server_name: .*$/m, () => yamlLine('server_name', serverName));
}

function entries(shape: Readonly<Record<string, z.ZodType>>, indent: string): string {
  return Object.entries(shape)
    .map(([name, schema]) => {
      const about = aboutOf(schema, name);
      if (about.type === 'setting') return settingEntry(name, about, indent);
      return `\n${indent}# ${about.doc}.\n${indent}${name}:\n${entries(about.shape, `${indent}  `).slice(1)}`;
    })
    .join('');
}

function settingEntry(name: string, about: SettingAbout, indent: string): string {
  const written = about.default === undefined ? about.example : about.default;
  const commented = yamlLine(name, written)
    .split('\n')
    .map((line) => `${indent}#${line}`)
    .join('\n');
  return `\n${indent}# ${about.doc}.\n${indent}# (${about.kind.brief}; ${stateOf(about)}${about.live ? '; live' : ''})\n${commented}\n`;
}

function stateOf(about: SettingAbout): string {
  if (about.required) return 'required';
  if (about.default === undefined) return 'unset by default, this is an example';
  return typeof about.default === 'object'
    ? 'default as shown'
    : `default ${JSON.stringify(about.default).replaceAll('"', '')}`;
}

function yamlLine(name: string, value: unknown): string {
  return stringify({ [name]: value }, { lineWidth: 0 }).trimEnd();
}
