import { ruleSource } from '../../core/operators/blocking/rule-registry.js';
import type { TrialResult } from '../../core/operators/previews/trial/preview-trial.js';
import type { TimedStep } from '../../core/base/trace.js';
import { print } from '../terminal/print.js';
import { printable, printableJson } from '../../core/base/text/printable.js';
import { styleFor } from '../terminal/style.js';

/** The result for people, on standard output. */
export function printTrial(result: TrialResult, { withSteps }: { withSteps: boolean }): void {
  const style = styleFor(process.stdout);
  const { status, url, source, finalUrl } = result;
  const verdict = status === 200 ? style.good('200') : style.bad(String(status));
  print(`${style.bold(printable(url))}  ${verdict}`);
  if (source !== null) print(`  made of      ${source.replaceAll('_', ' ')}`);
  if (finalUrl !== null && finalUrl !== url) print(`  fetched      ${printable(finalUrl)}`);
  if (result.downloadedBytes > 0) print(`  downloaded   ${result.downloadedBytes} bytes`);
  print('', style.bold('Answer'), printableJson(JSON.stringify(JSON.parse(result.body), null, 2)));
  const dropped = result.droppedProperties.map(({ key }) => key);
  if (dropped.length > 0) print('', `Dropped: ${printable(dropped.join(', '))}`);
  printRefusals(result.refusals);
  if (withSteps) printSteps(result.steps);
  else if (status !== 200) printSteps(result.steps.filter((step) => step.status === 'failed'));
}

function printRefusals(refusals: TrialResult['refusals']): void {
  for (const { stage, url, rule } of refusals) {
    const by = rule === null ? 'a rule that is gone' : ruleSource(rule);
    print('', `Refused (${stage}): ${printable(url)} by ${printable(by)}`);
  }
}

function printSteps(steps: readonly TimedStep[]): void {
  const style = styleFor(process.stdout);
  const paint = { ok: style.good, warning: style.bad, failed: style.bad, skipped: style.dim };
  print('', style.bold('Steps'));
  for (const { name, title, status, ms, sentence, advice } of steps) {
    const time = `${ms.toFixed(0)} ms`.padStart(8);
    print(
      `  ${(title ?? name).padEnd(16)} ${paint[status](status.padEnd(7))} ${time}  ${printable(sentence)}`,
    );
    if (advice !== undefined) print(`  ${' '.repeat(34)}${style.dim(printable(advice))}`);
  }
}

/** The result as a JSON value; `body` is the text that clients get. */
export function trialJson(result: TrialResult): object {
  return {
    url: result.url,
    final_url: result.finalUrl,
    source: result.source,
    status: result.status,
    body: result.body,
    properties: result.properties,
    dropped_properties: result.droppedProperties,
    downloaded_bytes: result.downloadedBytes,
    refusals: result.refusals.map(({ stage, url, address, rule }) => ({
      stage,
      url,
      address,
      rule: rule === null ? null : ruleSource(rule),
    })),
    duration_ms: result.durationMs,
    steps: result.steps.map(({ name, title, status, startedAtMs, ms, sentence, advice, detail }) => ({
      name,
      title,
      status,
      started_at_ms: startedAtMs,
      ms,
      sentence,
      advice: advice ?? null,
      detail: detail ?? {},
    })),
  };
}
