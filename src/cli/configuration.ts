import { Option } from 'commander';
import { formatFault } from '../config/config-errors.js';
import type { Fault } from '../config/config-errors.js';
import { counted } from '../core/base/text/counted.js';
import { loadConfig } from '../config/load-config.js';
import type { LoadedConfig } from '../config/load-config.js';
import { CommandFailure, EXIT } from './exit.js';

/** What `--config` leaves behind. */
export interface ConfigOption {
  config?: string;
}

/** A configuration without faults, and how to read it again. */
export type UsableConfig = Extract<LoadedConfig, { ok: true }> & { read(): LoadedConfig };

/** `--config FILE`, the same for every command; a new object each time, since commander keeps state in it. */
export function configOption(): Option {
  return new Option('-c, --config <file>', 'configuration file; without one: defaults and ./data').env(
    'VIDIMUS_CONFIG',
  );
}

/** Reads the configuration of a command; faults are part of the result. */
export function readConfig({ config }: ConfigOption): LoadedConfig {
  return loadConfig({ path: config ?? null, env: process.env, cwd: process.cwd() });
}

/** Reads the configuration and ends the command with all faults at once when there are any. */
export function requireConfig(option: ConfigOption): UsableConfig {
  const loaded = readConfig(option);
  if (loaded.ok) return { ...loaded, read: () => readConfig(option) };
  throw new CommandFailure(faultList(loaded.faults), EXIT.use);
}

/** True when nobody has named this server yet: somebody wants to try it out. */
export function isTrial(option: ConfigOption, { sources }: UsableConfig): boolean {
  return option.config === undefined && !sources.has('server_name');
}

/** All faults, one a line, with how many there are and what to do. */
export function faultList(faults: readonly Fault[]): string {
  const count = counted(faults.length, 'fault');
  return [
    `The configuration has ${count}:`,
    ...faults.map((fault) => `  ${formatFault(fault)}`),
    '"vidimus config generate" prints every setting with its form and default.',
  ].join('\n');
}
