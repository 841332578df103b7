import type { Dialect } from '../../core/base/dialect.js';
import { styleFor, type Style } from '../terminal/style.js';
import { formatTs, print } from '../terminal/print.js';
import { printable, printableJson } from '../../core/base/text/printable.js';
import type { KeyReport } from './ask-origin.js';
import { jsonText } from './json-text.js';

/** What the question wanted beyond a record that verifies; null when it got it. */
export type Unmet = 'key_id_missing' | 'not_valid_long_enough' | null;

export interface ReportOptions {
  /** In which the server was asked. */
  dialect: Dialect['name'];
  showTrace: boolean;
}

/** The report for people, on standard output. */
export function printReport(report: KeyReport, { dialect, showTrace }: ReportOptions): void {
  const style = styleFor(process.stdout);
  const verdict = report.outcome === 'verified' ? style.good('verified') : style.bad(report.outcome);
  print(`${style.bold(printable(report.serverName))}  ${verdict}`);
  if (report.error !== null) {
    const { message, reason, detail } = report.error;
    print(`  ${printable(message)}${detail === null ? '' : `: ${printable(detail)}`}`);
    if (reason !== null) print(`  reason       ${reason}`);
  }
  if (report.accepted !== null) printKeys(report.accepted);
  if (report.record !== null) print('', style.bold('Record'), printableJson(jsonText(report.record)));
  if (report.signatures.length > 0) printSignatures(report, style);
  if (showTrace) printSteps(report, style);
  else if (report.outcome !== 'verified') print('', 'Add --trace to see each step.');
  if (report.outcome !== 'verified' && report.record === null) print(otherDialect(dialect));
}

/** No record at all: perhaps it is published under the names of the other dialect. */
function otherDialect(dialect: Dialect['name']): string {
  const other = dialect === 'matrix' ? 'svc' : 'matrix';
  return `Asked in the dialect ${dialect}. If the server speaks ${other}, set VIDIMUS__DIALECT=${other}, or "dialect" in the configuration.`;
}

function printKeys(accepted: NonNullable<KeyReport['accepted']>): void {
  print(`  valid until  ${formatTs(Number(accepted.validUntilTs))}`);
  for (const [keyId, { publicKey }] of accepted.verifyKeys) print(`  key          ${keyId}  ${publicKey}`);
  for (const [keyId, { publicKey, expiredTs }] of accepted.oldVerifyKeys) {
    print(`  old key      ${printable(keyId)}  ${publicKey}  expired ${formatTs(Number(expiredTs))}`);
  }
  for (const remark of accepted.notes) print(`  note         ${printable(remark)}`);
}

function printSignatures({ signatures, signaturesLeftOut }: KeyReport, style: Style): void {
  print('', style.bold('Signatures'));
  const paint = { valid: style.good, invalid: style.bad, 'unknown key': style.dim };
  for (const { status, signer, keyId } of signatures) {
    print(`  ${paint[status](status.padEnd(11))}  ${printable(signer)}  ${printable(keyId)}`);
  }
  if (signaturesLeftOut > 0) print(`  … and ${signaturesLeftOut} more, not checked`);
}

function printSteps({ steps }: KeyReport, style: Style): void {
  print('', style.bold('Steps'));
  const paint = { ok: style.good, warning: style.bad, failed: style.bad, skipped: style.dim };
  for (const { name, status, ms, sentence } of steps) {
    const time = `${ms.toFixed(0)} ms`.padStart(8);
    print(`  ${name.padEnd(10)} ${paint[status](status.padEnd(7))} ${time}  ${printable(sentence)}`);
  }
}

/** The report as JSON on standard output. */
export function printReportJson(report: KeyReport, unmet: Unmet): void {
  const { accepted, error } = report;
  const steps = report.steps.map(({ name, status, ms, sentence, detail }) => ({
    name,
    status,
    // Rounded to whole microseconds, as text would otherwise hold 15 digits.
    us: Math.round(ms * 1000),
    sentence,
    detail: { ...detail },
  }));
  const text = jsonText({
    serverName: report.serverName,
    outcome: report.outcome,
    unmet,
    reason: error?.reason ?? null,
    message: error?.message ?? null,
    detail: error?.detail ?? null,
    validUntilTs: accepted?.validUntilTs ?? null,
    notes: accepted?.notes ?? [],
    signatures: report.signatures.map(({ signer, keyId, status }) => ({ signer, keyId, status })),
    signaturesLeftOut: report.signaturesLeftOut,
    steps,
    record: report.record,
  });
  print(printableJson(text));
}
