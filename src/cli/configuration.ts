import { Option } from 'commander';
import { formatConfigError, type ConfigError } from '../config/config-errors.js';
import { counted } from '../core/base/text/strings.js';
import { loadConfig, type LoadedConfig } from '../config/load-config.js';
import { CommandError, EXIT, note } from './terminal.js';

export interface ConfigOption {
  config?: string;
}

export interface JsonOption extends ConfigOption {
  json?: true;
}

/** A configuration without errors, and how to read it again. */
export type UsableConfig = Extract<LoadedConfig, { ok: true }> & { read(): LoadedConfig };

/** `--config FILE`, the same for every command; a new object each time, since commander keeps state in it. */
export function configOption(): Option {
  return new Option('-c, --config <file>', 'configuration file; without one: defaults and ./data').env(
    'VIDIMUS_CONFIG',
  );
}

export function readConfig({ config }: ConfigOption): LoadedConfig {
  return loadConfig({ path: config ?? null, env: process.env, cwd: process.cwd() });
}

/** Reads the configuration and ends the command with all errors at once when there are any. */
export function requireConfig(option: ConfigOption): UsableConfig {
  const loaded = readConfig(option);
  if (loaded.ok) return { ...loaded, read: () => readConfig(option) };
  for (const warning of loaded.warnings) note(`warning: ${formatConfigError(warning)}`);
  throw new CommandError(errorList(loaded.errors), EXIT.use);
}

/** True without a configuration file and a server name: a first try. */
export function isTrial(option: ConfigOption, { originOf }: UsableConfig): boolean {
  return option.config === undefined && originOf(['server_name']) === null;
}

export function errorList(errors: readonly ConfigError[]): string {
  const count = counted(errors.length, 'error');
  return [
    `The configuration has ${count}:`,
    ...errors.map((error) => `  ${formatConfigError(error)}`),
    '"vidimus config generate" prints every setting with its form and default.',
  ].join('\n');
}
