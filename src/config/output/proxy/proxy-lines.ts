import type { ProxyServer } from '../../../core/base/proxy-server.js';
import type { Config } from '../../schema.js';
import { caddyLines } from './caddy-lines.js';
import { nginxLines } from './nginx-lines.js';
import { proxyPlan, type ProxyPlan, type ProxyPlanOptions } from './proxy-plan.js';

const WRITERS: Record<ProxyServer, (plan: ProxyPlan) => string[]> = {
  nginx: nginxLines,
  caddy: caddyLines,
};

/** Instead of lines where there are none. */
export const NOTHING_TO_PASS_ON = 'No listener serves peers or clients: there is nothing to pass on.';
const LINE_CHARACTERS = 110;

/** What a reverse proxy in front of this configuration needs, to be pasted; ends with a line break. */
export function proxyLines(config: Config, server: ProxyServer, options: ProxyPlanOptions = {}): string {
  const plan = proxyPlan(config, options);
  const notes = plan.routes.length === 0 ? [NOTHING_TO_PASS_ON] : plan.notes;
  const lines = plan.routes.length === 0 ? [] : WRITERS[server](plan);
  const comments = notes.flatMap((note) => wrapped(note).map((line) => `# ${line}`));
  const gap = comments.length > 0 && lines.length > 0 ? [''] : [];
  return `${[...comments, ...gap, ...lines].join('\n')}\n`;
}

/** Broken between words. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > LINE_CHARACTERS) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
