import { valueAt } from '../../core/base/json/is-record.js';
import type { Override } from './environment.js';
import type { YamlText } from './yaml-file.js';

/** Where values stand, for operators. */
export interface SettingOrigins {
  /** `config.yaml:12`, the name of an environment variable, or `null` for a default and what is not known. */
  originOf(path: readonly (string | number)[]): string | null;
}

/** Origins of nothing: for settings that were read from neither file nor environment. */
export const NO_ORIGINS: SettingOrigins = { originOf: () => null };

/** Origins in one file and the environment; values inside of lists have lines of their own. */
export function settingOrigins(read: {
  file: string | null;
  yaml: YamlText;
  overrides: readonly Override[];
}): SettingOrigins {
  const { file, yaml, overrides } = read;
  return {
    originOf: (path) => {
      const override = overrides.find((candidate) => candidate.path.every((step, at) => path[at] === step));
      if (override !== undefined) return override.variable;
      if (file === null || (valueAt(yaml.value, path) ?? null) === null) return null;
      return `${file}:${yaml.locate(path, 'value').line}`;
    },
  };
}
