import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { pino } from 'pino';

import { SECOND_MS, systemClock } from './clock.js';
import { parseUrl } from './text/url.js';

/** Structured logger; one child per area (`log.child({ area: 'keys' })`). */
export type Logger = pino.Logger;

/** Settings of the logger, section `log` of the configuration. */
export interface LoggerOptions {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Where lines go; standard output when absent. */
  destination?: pino.DestinationStream;
  /** What an error means for operators, who at `debug` alone also get its stack; null: nobody knows, so all of it. */
  explain?: (error: unknown) => string | null;
}

const REDACTED = '[redacted]';

const REDACTED_PATHS = [
  'authorization',
  'cookie',
  'access_token',
  'token',
  '*.authorization',
  '*.cookie',
  '*["set-cookie"]',
  '*.access_token',
  '*.token',
  '*.password',
];

/** One JSON object a line. Values under well-known secret names never reach the output. */
export function createLogger(options: LoggerOptions): Logger {
  const { explain = () => null } = options;
  const settings: pino.LoggerOptions = {
    level: options.level,
    serializers: {
      err: (error: Error) => {
        const message = logger.isLevelEnabled('debug') ? null : explain(error);
        return message === null ? pino.stdSerializers.err(error) : { message };
      },
    },
    base: null,
    redact: { paths: REDACTED_PATHS, censor: REDACTED },
    timestamp: () => `,"time":"${new Date(systemClock.now()).toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
  };
  const logger: Logger =
    options.destination === undefined ? pino(settings) : pino(settings, options.destination);
  return logger;
}

/** Lines whose members hold no secrets: pino's search for them takes as long as half of an answer from memory. */
export function withoutRedaction(logger: Logger): Logger {
  return logger.child({}, { redact: [] });
}

/** Where log lines go, with the two ways to make sure that none is lost. */
export type LogOutput = ReturnType<typeof openLogOutput>;

const STANDARD_OUTPUT = 1;
/** Gathered lines spare each request a system call; the last ones are written half a second late. */
const GATHER_BYTES = 8 * 1024;
const FLUSH_INTERVAL_MS = 500;
/** Further lines are dropped while the reader does not read: an answer is worth more than its log line. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const LAST_MOMENT_MS = SECOND_MS;
const END_LIMIT_MS = 3 * SECOND_MS;

/** Log lines on standard output. `readable` makes of each what a terminal shows at once; `null`: lines stay JSON. */
export function openLogOutput(readable: ((line: string) => string) | null) {
  let retryUntilMs = Infinity;
  const writer = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    minLength: readable === null ? GATHER_BYTES : 0,
    periodicFlush: FLUSH_INTERVAL_MS,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < retryUntilMs,
  });
  // A full disk or a reader that went away must not end the service.
  writer.on('error', () => undefined);
  const flushSync = writer.flushSync.bind(writer);
  writer.flushSync = () => {
    retryUntilMs = performance.now() + LAST_MOMENT_MS;
    try {
      flushSync();
    } catch {
      // What cannot be written now never will be.
    }
    retryUntilMs = Infinity;
  };
  const write = (line: string): void => void writer.write(readable === null ? line : readable(line));
  const flushed = (): Promise<void> => new Promise((resolve) => writer.flush(() => resolve()));
  /** Resolves when everything has been written, or cannot be. Nothing may be logged afterwards. */
  const end = (): Promise<void> => Promise.race([flushed(), sleep(END_LIMIT_MS, undefined, { ref: false })]);
  // The last writes everything at once, for the last moments of a process.
  return { stream: { write }, end, flush: () => writer.flushSync() };
}

const MAX_TARGET_LENGTH = 500;

/** A request target fit for a log line, cut at 500 characters and without what may be secret. */
export function redactTarget(target: string, query?: () => URLSearchParams): string {
  const shown = redacted(target, query);
  return shown.length > MAX_TARGET_LENGTH ? `${shown.slice(0, MAX_TARGET_LENGTH)}…` : shown;
}

/**
 * Of an address to preview only its host is left, because links carry secrets too,
 * and of any other query the names and what cannot be a secret. `query` is that of the target, from who keeps it parsed.
 */
function redacted(target: string, query?: () => URLSearchParams): string {
  if (!target.startsWith('/') && target !== '*') return REDACTED;
  const at = target.indexOf('?');
  if (at === -1) return withoutTokens(target);
  const path = withoutTokens(target.slice(0, at));
  const url = (query?.() ?? new URLSearchParams(target.slice(at + 1))).get('url');
  if (url !== null) return `${path}?url=${urlHost(url)}`;
  if (path.endsWith('/preview_url')) return `${path}?${REDACTED}`;
  const pairs = target.slice(at + 1).split('&', MAX_PAIRS);
  return `${path}?${pairs.map(redactPair).join('&')}`;
}

/** Of one query; thousands fit into a target, and each may be written longer than it came. */
const MAX_PAIRS = 20;

/** Parameters of the interface that are a number or one of a few words. Whatever is not known may be a secret. */
const PLAIN_PAIR =
  /^(?:animated|height|method|minimum_valid_until_ts|timeout_ms|ts|width)=(?:-?\d{1,16}|true|false|crop|scale)$/;

/** Names that no token looks like. */
const PAIR_NAME = /^[a-z_]{1,32}=/i;

function redactPair(pair: string): string {
  if (pair === '' || PLAIN_PAIR.test(pair)) return pair;
  const [name = ''] = PAIR_NAME.exec(pair) ?? [];
  return withoutTokens(name) === name ? name + REDACTED : REDACTED;
}

/** Tokens of ours and of homeservers, JSON Web Tokens, and what follows a name of one; some begin percent-escaped. */
const PATH_TOKEN =
  /(?<=^|[^a-z0-9])(?:(?:access_token|token|authorization|bearer)(?:=|:|\/|%3d|%3a|%20|\+|\s)+|(?=(?:vid_|syt_|mat_|mct_|eyj)[\w.~-]{8}))[^/?#;&\s]+/gi;

/** What each of them holds: four times as fast to look for. */
const MAY_HOLD_TOKEN = /token|authorization|bearer|vid_|syt_|mat_|mct_|eyj/i;

/** A path, or a sentence that quotes one, without what may be a token: a wrong base address puts them there. */
export function withoutTokens(path: string): string {
  const plain = path.includes('%') ? path.replaceAll(/%5f/gi, '_').replaceAll(/%3d/gi, '=') : path;
  return MAY_HOLD_TOKEN.test(plain) ? plain.replace(PATH_TOKEN, REDACTED) : plain;
}

/** Host and port of an address for a log line: all else of a link may be a secret. */
export function urlHost(url: string): string {
  return parseUrl(url)?.host || REDACTED;
}

/** A new random ID for a request, 12 characters. Node draws the randomness of UUIDs for many at once. */
export function newRequestId(): string {
  return randomUUID().slice(24);
}
