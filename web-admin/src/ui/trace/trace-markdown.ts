import type { TraceStepFragment } from '../../gql/graphql.js';
import { durationWords } from '../text/time-words.js';

const SPECIAL = /[\\`*_{}[\]()#+!|<>~@]/g;

/** Untrusted text as one line of Markdown that is nothing but text. */
export function plainMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(SPECIAL, '\\$&');
}

export interface MarkdownReport {
  title: string;
  /** In one line how it ended. */
  verdict: string;
  steps: readonly TraceStepFragment[];
  /** What clients get, as JSON; null for none. */
  json: unknown;
}

/** A trace as a text for an issue or a chat: title, verdict, table of stages, advice. */
export function traceMarkdown({ title, verdict, steps, json }: MarkdownReport): string {
  const rows = steps
    .filter(({ status }) => status !== 'SKIPPED')
    .map(({ title: stage, status, durationMs, message }) =>
      [
        plainMarkdown(stage),
        status.toLowerCase(),
        durationWords(durationMs),
        plainMarkdown(message ?? ''),
      ].join(' | '),
    );
  const advice = steps.flatMap(({ title: stage, advice: text }) =>
    text === null ? [] : [`- ${plainMarkdown(stage)}: ${plainMarkdown(text)}`],
  );
  const lines = [
    `### ${plainMarkdown(title)}`,
    plainMarkdown(verdict),
    ['| stage | state | time | |', '|---|---|--:|---|', ...rows.map((row) => `| ${row} |`)].join('\n'),
    ...(advice.length === 0 ? [] : [advice.join('\n')]),
    ...(json === null
      ? []
      : [`\`\`\`\`json\n${JSON.stringify(json, null, 2).replaceAll('````', '` ` ` `')}\n\`\`\`\``]),
  ];
  return `${lines.join('\n\n')}\n`;
}
