import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { formatConfigError } from '../../src/config/config-errors.js';
import { loadConfig, type LoadedConfig } from '../../src/config/load-config.js';
import type { Config } from '../../src/config/schema.js';

/** A folder with configuration files in it. */
export interface ConfigFolder {
  path: string;
  write(name: string, text: string, mode?: number): Promise<string>;
  /** Writes `config.yaml` and loads it. */
  load(text: string, env?: Record<string, string>): Promise<LoadedConfig>;
  /** Loads `config.yaml`, which must have errors; printable. */
  errors(text: string, env?: Record<string, string>): Promise<string[]>;
  remove(): Promise<void>;
}

export async function createConfigFolder(): Promise<ConfigFolder> {
  const path = await mkdtemp(join(tmpdir(), 'vidimus-config-'));
  const write = async (name: string, text: string, mode = 0o600) => {
    const file = join(path, name);
    await writeFile(file, text);
    await chmod(file, mode);
    return file;
  };
  const load = async (text: string, env: Record<string, string> = {}) => {
    await write('config.yaml', text);
    return loadConfig({ path: 'config.yaml', env, cwd: path });
  };
  const errors = async (text: string, env: Record<string, string> = {}) => {
    const loaded = await load(text, env);
    return loaded.ok ? [] : loaded.errors.map(formatConfigError);
  };
  return { path, write, load, errors, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The configuration, or an error with all errors. */
export function configOf(loaded: LoadedConfig): Config {
  if (!loaded.ok) throw new Error(loaded.errors.map(formatConfigError).join('\n'));
  return loaded.config;
}
