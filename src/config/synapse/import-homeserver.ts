import { isRecord, valueAt } from '../../core/base/json/is-record.js';
import { dottedName, type Problem } from '../config-errors.js';
import { readReferencedFiles } from '../input/referenced-files.js';
import { parseConfig } from '../parse-config.js';
import { UNUSED_SETTINGS } from '../unused-settings.js';
import { HomeserverFiles, type HomeserverText, type Remark } from './homeserver-files.js';
import { homeserverKeys, type HomeserverKeys } from './homeserver-keys.js';
import { homeserverListeners } from './homeserver-listeners.js';
import { HINTS, SAME_SETTINGS, takenOver, type TakenOver } from './taken-over.js';

/** A configuration that stands beside a Synapse, and what of that one's is not in it. */
export interface ImportedHomeserver {
  /** Plain settings as an operator would write them, without those about keys. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly keys: HomeserverKeys;
  /** In the order of the files. */
  readonly remarks: readonly Remark[];
}

/** What is wrong with a setting without which there is no configuration of ours. */
export class UnusableSetting extends Error {
  constructor(
    message: string,
    readonly setting: string,
  ) {
    super(message);
  }
}

/** Settings that stay when the schema refuses them: without them there is nothing. */
const NEEDED = new Set(['server_name', 'dialect', 'listeners', 'auth', 'key_server_signing_keys_path']);

/**
 * Makes a configuration with the settings of a Synapse, for the same server name and beside it. Everything that cannot
 * be taken over is a remark: names without a counterpart, values or entries of lists that our schema refuses, files
 * that are not there. Throws `UnreadableHomeserverFile`, and `UnusableSetting` where there is no usable name.
 */
export function importHomeserver(texts: readonly HomeserverText[]): ImportedHomeserver {
  const files = new HomeserverFiles(texts);
  const keys = homeserverKeys(files);
  const listeners = homeserverListeners(files);
  const taken = takenOver(files);
  const needed = {
    server_name: files.get(['server_name']),
    dialect: 'matrix',
    listeners: listeners.listeners,
    auth: { homeserver_url: listeners.homeserverUrl },
    key_server_signing_keys_path: keys.path,
  };
  const { settings, refused } = withoutRefused({ ...needed, ...taken.settings });
  const remarks = [
    ...keys.remarks,
    ...listeners.remarks,
    ...taken.remarks,
    ...refused.map((problem) => refusedRemark(files, taken, problem)),
    ...unknownRemarks(files),
  ];
  const { key_server_signing_keys_path: _, ...rest } = settings;
  return { settings: rest, keys, remarks: inOrder(texts, remarks) };
}

type Path = readonly (string | number)[];

/** Leaves out, again and again, what the schema refuses: an entry of a list or map where it is one, else the setting. */
function withoutRefused(candidate: Record<string, unknown>): {
  settings: Record<string, unknown>;
  refused: Problem[];
} {
  const settings = structuredClone(candidate);
  const refused: Problem[] = [];
  const positions = new Map<string, number[]>();
  for (;;) {
    const problems = problemsOf(settings);
    const fatal = problems.find(({ path: [name = ''] }) => NEEDED.has(String(name)));
    if (fatal !== undefined) throw new UnusableSetting(sentenceOf(fatal), String(fatal.path[0]));
    if (problems.length === 0) return { settings, refused };
    const first = new Map<string, Problem>();
    for (const problem of problems.toReversed()) first.set(dottedName(entryOf(problem, settings)), problem);
    // The last first, so that positions in lists stay as they are told.
    for (const problem of first.values()) {
      const entry = entryOf(problem, settings);
      refused.push({
        ...problem,
        path: [...removed(settings, entry, positions), ...problem.path.slice(entry.length)],
      });
    }
  }
}

function problemsOf(settings: Record<string, unknown>): readonly Problem[] {
  const parsed = parseConfig(settings);
  return parsed.ok ? readReferencedFiles(parsed.config).problems : parsed.problems;
}

/** The path of what is left out: up to the first position in a list, or a member of a map, or the setting as a whole. */
function entryOf({ path }: Problem, settings: Record<string, unknown>): Path {
  const position = path.findIndex((step) => typeof step === 'number');
  if (position !== -1) return path.slice(0, position + 1);
  return path.slice(0, isRecord(settings[String(path[0])]) ? 2 : 1);
}

/** Takes the value at a path away; returns the path it had when nothing had been taken away. */
function removed(settings: Record<string, unknown>, path: Path, positions: Map<string, number[]>): Path {
  const parentPath = path.slice(0, -1);
  const last = path.at(-1) ?? '';
  const parent = parentPath.length === 0 ? settings : valueAt(settings, parentPath);
  if (!Array.isArray(parent)) {
    if (isRecord(parent)) Reflect.deleteProperty(parent, last);
    return path;
  }
  const list = dottedName(parentPath);
  const left = positions.get(list) ?? [...parent.keys()];
  positions.set(list, left);
  parent.splice(Number(last), 1);
  return [...parentPath, ...left.splice(Number(last), 1)];
}

function sentenceOf({ path, message, wanted }: Problem): string {
  return `${dottedName(path)}: ${message}${wanted === null ? '' : `; wanted: ${wanted}`}`;
}

function refusedRemark(files: HomeserverFiles, { origins }: TakenOver, problem: Problem): Remark {
  const [name = '', ...rest] = problem.path;
  const path = [origins.get(String(name)) ?? name, ...rest];
  const wanted = problem.wanted === null ? '' : `; wanted: ${problem.wanted}`;
  return { ...files.spot(path), setting: dottedName(path), message: `${problem.message}${wanted}` };
}

const HANDLED = new Set([
  'server_name',
  'listeners',
  'signing_key',
  'signing_key_path',
  'key_server_signing_keys_path',
  'ip_range_blacklist',
  'url_preview_ip_range_blacklist',
]);

/** Names that mean nothing here, each with the reason that is known. */
function unknownRemarks(files: HomeserverFiles): Remark[] {
  return files.names
    .filter((name) => !HANDLED.has(name) && !SAME_SETTINGS.has(name))
    .map((name) => {
      const message =
        HINTS.get(name) ??
        UNUSED_SETTINGS.get(name) ??
        'has no counterpart here; it stays with the homeserver';
      return { ...files.spot([name]), setting: name, message };
    });
}

function inOrder(texts: readonly HomeserverText[], remarks: readonly Remark[]): Remark[] {
  const rank = new Map(texts.map(({ path }, index) => [path, index]));
  return remarks.toSorted((a, b) => (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0) || a.line - b.line);
}
