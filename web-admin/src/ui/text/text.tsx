import { ActionIcon, Anchor, Box, Code, CopyButton as Copying, Text, Tooltip } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

import { useAnnounce } from '../../live/announcer.js';
import { useNow } from '../../live/use-now.js';
import { Icon } from '../icons.js';
import { byteWords } from './number-words.js';
import { exactTime, relativeTime } from './time-words.js';
import { cutMiddle, splitAtMarks, writeMarks } from './visible-marks.js';

const NONE = (
  <Text span inherit c="var(--v-text-3)">
    —
  </Text>
);

/** Small print. */
export function Note({ children }: { children: ReactNode }) {
  return (
    <Text component="div" size="xs" c="dimmed">
      {children}
    </Text>
  );
}

/** A size; hover and focus show the exact count. */
export function Bytes({ bytes }: { bytes: number | null | undefined }) {
  if (bytes === null || bytes === undefined) return NONE;
  return (
    <Tooltip label={`${bytes.toLocaleString('en')} bytes`}>
      <span className="v-nowrap" tabIndex={0}>
        {byteWords(bytes)}
      </span>
    </Tooltip>
  );
}

interface RelativeTimeProps {
  /** ISO instant or POSIX ms; null draws `none`. */
  at: string | number | null | undefined;
  /** What null means here, e.g. "never"; default an em dash. */
  none?: string;
}

/** "3 min ago" or "in 41 min"; hover and focus show the exact instant in UTC. */
export function RelativeTime({ at, none }: RelativeTimeProps) {
  const now = useNow();
  if (at === null || at === undefined) return none === undefined ? NONE : <>{none}</>;
  const ts = typeof at === 'number' ? at : Date.parse(at);
  const exact = exactTime(ts);
  if (exact === null) return <>{String(at)} ms</>;
  return (
    <Tooltip label={`${exact} UTC`}>
      <time className="v-nowrap" dateTime={new Date(ts).toISOString()} tabIndex={0}>
        {relativeTime(ts, now)}
      </time>
    </Tooltip>
  );
}

interface UntrustedTextProps {
  /** Null draws an em dash. */
  text: string | null | undefined;
  /** Longest form in characters; above it the middle is cut and hover or focus shows all. Default: no cut. */
  max?: number;
  mono?: boolean;
  /** Inside a link or button: no focus stop of its own. */
  inside?: boolean;
}

/** Untrusted text as text only: isolated direction, bidi and invisible characters shown as marks. */
export function UntrustedText({ text, max, mono = false, inside = false }: UntrustedTextProps) {
  if (text === null || text === undefined || text === '') return NONE;
  const short = max === undefined ? text : cutMiddle(text, max);
  const parts = splitAtMarks(short).map((part, index) =>
    part.kind === 'text' ? (
      part.text
    ) : (
      <span key={index} className="v-mark" title={part.name}>
        {part.code}
      </span>
    ),
  );
  const className = mono ? 'v-text v-mono' : 'v-text';
  if (short === text) return <bdi className={className}>{parts}</bdi>;
  return (
    <Tooltip label={writeMarks(text)}>
      <bdi className={className} {...(inside ? {} : { tabIndex: 0 })}>
        {parts}
      </bdi>
    </Tooltip>
  );
}

/** An untrusted address: a link only for http(s), opened in a new tab that learns neither referrer nor opener. */
export function SafeLink({ url, max = 80 }: { url: string; max?: number }) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return <UntrustedText text={url} max={max} />;
  return (
    <Anchor
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
      inherit
      className="v-text"
    >
      <UntrustedText text={url} max={max} inside />{' '}
      <Icon name="externalLink" size={13} label="(opens in a new tab)" />
    </Anchor>
  );
}

/** Copies a text unchanged. Hidden where the browser gives no clipboard (plain http, far host). */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const announce = useAnnounce();
  if ((navigator.clipboard as Clipboard | undefined) === undefined) return null;
  return (
    <Copying value={text} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon
            size={24}
            style={{ verticalAlign: 'middle' }}
            aria-label={copied ? 'Copied' : `Copy ${what}`}
            color={copied ? 'ok' : 'gray'}
            onClick={() => {
              copy();
              announce(`Copied ${what}`);
            }}
          >
            <Icon name={copied ? 'check' : 'copy'} size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    </Copying>
  );
}

/** A value in monospace with its copy button. */
export function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span>
      <UntrustedText text={text} max={90} mono /> <CopyButton text={text} what={what} />
    </span>
  );
}

const MAX_LINES = 400;
const MAX_LINE = 400;

/** Code, a command or JSON with its copy button, as text only. `what` names it: "Copy curl line". */
export function Snippet({ text, what }: { text: string; what: string }) {
  const lines = text.split('\n');
  return (
    <Box pos="relative">
      <Code block className="v-snippet" tabIndex={0} role="region" aria-label={what}>
        {lines.slice(0, MAX_LINES).map((line, index) => (
          <Fragment key={index}>
            {index > 0 && '\n'}
            {line !== '' && <UntrustedText text={line} max={MAX_LINE} inside />}
          </Fragment>
        ))}
        {lines.length > MAX_LINES && `\n${lines.length - MAX_LINES} more lines; copy to see all`}
      </Code>
      <Box pos="absolute" top={6} right={6} bg="var(--v-sunken)">
        <CopyButton text={text} what={what} />
      </Box>
    </Box>
  );
}

/** Any JSON value. */
export function JsonView({ value, what }: { value: unknown; what: string }) {
  return <Snippet text={JSON.stringify(value, null, 2) ?? 'null'} what={what} />;
}
