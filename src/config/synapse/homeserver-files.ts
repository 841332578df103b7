import { dirname, resolve } from 'node:path';
import { isRecord, valueAt } from '../../core/base/json/is-record.js';
import { readYaml, type YamlText } from '../input/yaml-file.js';

/** A configuration file of a Synapse, with its path as it was named. */
export interface HomeserverText {
  readonly path: string;
  readonly text: string;
}

/** Where something stands: a line, from 1, of one of the files. */
export interface Spot {
  readonly file: string;
  readonly line: number;
}

/** What could not be taken over, or only otherwise, and why. */
export interface Remark extends Spot {
  /** As it is named in the file, such as `listeners[1]`. */
  readonly setting: string;
  readonly message: string;
}

/** A text that Synapse could not have read either; the message says where. */
export class UnreadableHomeserverFile extends Error {}

/** The settings of one or several files as Synapse reads them: as YAML 1.1, a later file's name replaces the whole. */
export class HomeserverFiles {
  readonly #files: readonly { path: string; yaml: YamlText; value: Record<string, unknown> }[];

  /** Throws `UnreadableHomeserverFile`. */
  constructor(texts: readonly HomeserverText[]) {
    this.#files = texts.map(({ path, text }) => {
      const yaml = readYaml(text, '1.1');
      const [error] = yaml.errors;
      if (error !== undefined && !yaml.usable)
        throw new UnreadableHomeserverFile(`${path}:${error.line}  ${error.problem.message}`);
      if (yaml.value === null) return { path, yaml, value: {} };
      if (!isRecord(yaml.value)) throw new UnreadableHomeserverFile(`${path}:1  is no map of settings`);
      return { path, yaml, value: yaml.value };
    });
  }

  /** Names of all settings that have a value, in the order of the files. */
  get names(): string[] {
    const names = this.#files.flatMap(({ value }) => Object.keys(value));
    return [...new Set(names)].filter((name) => this.get([name]) !== null);
  }

  /** The value at a path; `null` where nothing stands. */
  get(path: readonly (string | number)[]): unknown {
    return valueAt(this.#fileOf(path)?.value, path) ?? null;
  }

  /** Where a setting, or what lies in it, stands; the first line of the first file for one that is nowhere. */
  spot(path: readonly (string | number)[]): Spot {
    const found = this.#fileOf(path);
    if (found === undefined) return { file: this.#files[0]?.path ?? '', line: 1 };
    return { file: found.path, line: found.yaml.locate(path, 'name').line };
  }

  /** A path as it is meant in the file that names the setting; Synapse counts from the folder it is started in. */
  resolvePath(setting: string, path: string): string {
    return resolve(dirname(this.spot([setting]).file), path);
  }

  #fileOf([name = '']: readonly (string | number)[]) {
    return this.#files.findLast(({ value }) => Object.hasOwn(value, name));
  }
}
