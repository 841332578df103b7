import type { DescribedStep } from '../../core/operators/diagnosis/describe-step.js';
import type { ServerDiagnosis } from '../../core/operators/diagnosis/diagnose-server.js';
import type { StepStatus } from '../../core/base/trace.js';
import { diagnoseWithoutStore } from '../../composition/key-fetch.js';
import type { UsableConfig } from '../configuration.js';
import { print } from '../terminal/print.js';
import { printable, printableJson } from '../../core/base/text/printable.js';
import { styleFor, type Style } from '../terminal/style.js';
import { jsonText } from './json-text.js';

export interface DiagnoseRequest {
  serverName: string;
  keyId: string | null;
  /** Print JSON at the end instead of lines as the steps end. */
  json: boolean;
}

/** Diagnoses a server under the rules of the configuration and prints the steps. The store is not touched. */
export async function diagnoseAndPrint(
  loaded: UsableConfig,
  { serverName, keyId, json }: DiagnoseRequest,
): Promise<ServerDiagnosis> {
  const style = styleFor(process.stdout);
  const watch = json ? {} : { ended: (step: DescribedStep) => printStep(step, style) };
  if (!json) print(style.bold(printable(serverName)), '');
  const diagnosis = await diagnoseWithoutStore(loaded, { serverName, keyId, watch });
  if (json) printDiagnosisJson(diagnosis);
  else printVerdict(diagnosis, style);
  return diagnosis;
}

const MARKS: Record<StepStatus, { mark: string; paint: 'good' | 'bad' | 'dim' }> = {
  ok: { mark: 'OK', paint: 'good' },
  warning: { mark: '! ', paint: 'bad' },
  failed: { mark: '!!', paint: 'bad' },
  skipped: { mark: '--', paint: 'dim' },
};
const TITLE_WIDTH = 20;
const INDENT = ' '.repeat(6 + TITLE_WIDTH + 9);

function printStep({ title, status, ms, sentence, advice }: DescribedStep, style: Style): void {
  const { mark, paint } = MARKS[status];
  const time = `${ms} ms`.padStart(8);
  print(`  ${style[paint](mark)}  ${title.padEnd(TITLE_WIDTH)} ${time}  ${printable(sentence)}`);
  if (advice !== undefined) print(`${INDENT}${style.dim(`> ${advice}`)}`);
}

function printVerdict({ ok, reason, resolvedTo }: ServerDiagnosis, style: Style): void {
  const tried = resolvedTo.length === 0 ? [] : [`Tried: ${resolvedTo.map(printable).join(', ')}`];
  const verdict = ok
    ? style.good('The keys can be fetched.')
    : style.bad(`The keys cannot be used: ${reason}.`);
  print('', ...tried, verdict);
}

function printDiagnosisJson({ serverName, ok, reason, steps, ...rest }: ServerDiagnosis): void {
  const text = jsonText({
    server_name: serverName,
    ok,
    reason,
    checked_ts: rest.checkedTs,
    resolved_to: [...rest.resolvedTo],
    steps: steps.map((step) => ({
      name: step.name,
      title: step.title,
      status: step.status,
      started_at_ms: step.startedAtMs,
      duration_ms: step.ms,
      sentence: step.sentence,
      advice: step.advice ?? null,
      detail: { ...step.detail },
    })),
    published: rest.published,
  });
  print(printableJson(text));
}
