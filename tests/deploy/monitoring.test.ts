import { STATUS_CODES } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { RefusalKind } from '../../src/core/access/users/refused-requests.js';
import { RUN_OUTCOMES } from '../../src/core/job-runner/job-run.js';
import type { LookupOutcome } from '../../src/core/net/dns/name-lookups.js';
import type { S3Outcome } from '../../src/core/net/object-storage/s3-bucket.js';
import type { RefreshOutcome } from '../../src/core/notary/keys/key-refresher.js';
import { PREVIEW_RESULTS } from '../../src/core/preview/pipeline/previewer.js';
import { temporaryFolder } from '../cli/vidimus.js';
import { readText } from '../docs/repository-files.js';
import { startTestService, type TestService } from '../support/service.js';
import { programMissing, runProgram } from './unit-file.js';

const FOLDER = 'deploy/monitoring';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook: string };
}

/** Of the file that promtool reads. */
interface UnitTest {
  input_series: { series: string }[];
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

const { groups } = parse(readText(`${FOLDER}/alerts.yaml`)) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap(({ rules: each }) => each);
const { tests } = parse(readText('tests/deploy/alerts.promtool.yaml')) as { tests: UnitTest[] };
const { panels } = JSON.parse(readText(`${FOLDER}/dashboard.json`)) as Dashboard;
const expressions = [
  ...rules.map(({ alert, expr }) => ({ of: alert, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
];

/** What Prometheus adds to each series, or makes of ours. */
const OF_SCRAPE = ['instance', 'job', 'le'];

/** Values that the code gives to labels: a union of it is held to be all of them by the compiler. */
const keys = <Value extends string>(values: Record<Value, true>): string[] => Object.keys(values);
const FETCH_OUTCOMES = keys<RefreshOutcome>({
  ok: true,
  failed: true,
  backoff: true,
  throttled: true,
  overloaded: true,
  not_stored: true,
  store_unavailable: true,
  store_full: true,
});
const ROUTE_LABELS = ['key_query', 'own_keys', 'preview'];
/** Values by metric and label, of those whose values mean something to an alert. */
const LABEL_VALUES: Readonly<Record<string, readonly string[]>> = {
  'vidimus_http_requests_total code': Object.keys(STATUS_CODES),
  'vidimus_http_requests_total route': ROUTE_LABELS,
  'vidimus_http_request_seconds route': ROUTE_LABELS,
  'vidimus_key_fetch_total outcome': FETCH_OUTCOMES,
  'vidimus_dns_lookups_total outcome': keys<LookupOutcome>({
    ok: true,
    dns_failure: true,
    dns_timeout: true,
    dns_busy: true,
  }),
  'vidimus_job_runs_total outcome': RUN_OUTCOMES,
  'vidimus_preview_refusals_total refusal': keys<RefusalKind>({ denied: true, unavailable: true }),
  'vidimus_preview_requests_total result': PREVIEW_RESULTS,
  'vidimus_media_store_requests_total outcome': keys<S3Outcome>({
    ok: true,
    absent: true,
    refused: true,
    away: true,
    timeout: true,
  }),
};

/** A label that an expression asks for: with one value, or with several between bars, each a regular expression. */
interface Asked {
  label: string;
  values: string[];
}

/** Metrics of an expression with the labels they are asked for. */
function metricsIn(expr: string): { name: string; asked: Asked[] }[] {
  const found = [...expr.matchAll(/\b((?:vidimus|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
  return found.map(([, name = '', inner = '']) => {
    const asked = [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = '', value = '']) => ({ label, values: value.split('|') }),
    );
    return { name: name.replace(/_(?:bucket|sum|count)$/, ''), asked };
  });
}

/** Values of an expression that the code never gives. */
function unknownValues(expr: string): string[] {
  return metricsIn(expr).flatMap(({ name, asked }) =>
    asked.flatMap(({ label, values }) => {
      const known = LABEL_VALUES[`${name} ${label}`] ?? [];
      const missing = values.filter(
        (value) => !known.some((each) => new RegExp(`^(?:${value})$`).test(each)),
      );
      return missing.map((value) => `${name} ${label} ${value}`);
    }),
  );
}

const labelsGroupedBy = (expr: string) =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));

describe('alerts and dashboard', () => {
  let service: TestService;
  let text: string;
  let known: Map<string, string[]>;
  beforeAll(async () => {
    service = await startTestService();
    text = await (await fetch(`${service.url}/metrics`)).text();
    const metrics = service.context.parts.metrics.registry.getMetricsAsArray();
    known = new Map(
      metrics.map((metric) => [metric.name, (metric as unknown as { labelNames: string[] }).labelNames]),
    );
  });
  afterAll(() => service.remove());

  it('are many', () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(panels.length).toBeGreaterThan(10);
  });

  it.each(expressions)('$of asks for metrics and labels that a running server has', ({ expr }) => {
    const metrics = metricsIn(expr);
    const isUp = /\bup\{/.test(expr);

    expect(isUp || metrics.length > 0).toBe(true);
    expect(metrics.filter(({ name }) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    for (const { name, asked: labels } of metrics) {
      const own = (known.get(name) ?? []).map((label) => (label === 'job' ? 'exported_job' : label));
      const asked = [...labels.map(({ label }) => label), ...labelsGroupedBy(expr)];
      expect(asked.filter((label) => !own.includes(label) && !OF_SCRAPE.includes(label))).toEqual([]);
    }
  });

  it('ask for no value of a label that the code does not give', () => {
    const ofScrape = new RegExp(`(?:${OF_SCRAPE.join('|')})=~?"[^"]*"`, 'g');
    expect(expressions.flatMap(({ expr }) => unknownValues(expr.replaceAll(ofScrape, '')))).toEqual([]);
    // Of the unit tests, too: a series that no server has proves nothing. Others of its labels may be anything.
    const series = tests.flatMap((each) => each.input_series.map((input) => input.series));
    const closed = series.map((each) =>
      each.replaceAll(/(\w+)="[^"]*"/g, (whole, label: string) =>
        metricsIn(each).some(({ name }) => `${name} ${label}` in LABEL_VALUES) ? whole : '',
      ),
    );
    expect(closed.flatMap(unknownValues)).toEqual([]);
  });

  // "increase" says nothing of a series that a scrape finds for the first time.
  it('that tell of single events ask for counters that stand at zero from the start', () => {
    const series = [...text.matchAll(/^(\w+)(?:\{(.*)\})? \d+$/gm)].map(([, name, inner = '']) => ({
      name,
      inner,
    }));
    const isThere = (name: string, { label, values }: Asked) =>
      values.every((value) =>
        series.some((each) => each.name === name && each.inner.includes(`${label}="${value}"`)),
      );
    const single = rules
      .filter(({ expr }) => /\bincrease\(/.test(expr))
      .flatMap(({ expr }) => metricsIn(expr));

    expect(single.length).toBeGreaterThan(0);
    expect(single.filter(({ name }) => !series.some((each) => each.name === name))).toEqual([]);
    expect(single.flatMap(({ name, asked }) => asked.filter((each) => !isThere(name, each)))).toEqual([]);
    const runs = series.filter(({ name }) => name === 'vidimus_job_runs_total');
    for (const outcome of ['ok', 'failed'])
      expect(runs.filter(({ inner }) => inner.includes(`outcome="${outcome}"`))).toHaveLength(
        service.context.services.jobs.registry.definitions.length,
      );
  });

  it('have unit tests: each alert fires in one, with all that it says, and keeps still in one', () => {
    const cases = tests.flatMap(({ alert_rule_test: each }) => each);
    const names = (fires: boolean) =>
      new Set(cases.filter((each) => each.exp_alerts.length > 0 === fires).map((each) => each.alertname));
    const all = new Set(rules.map(({ alert }) => alert));
    expect({ fire: names(true), keepStill: names(false) }).toEqual({ fire: all, keepStill: all });
  });

  it('say what to do: every alert has its section in docs/OPERATING.md, and no section is without one', () => {
    const sections = [...readText('docs/OPERATING.md').matchAll(/^### (Vidimus\w+)$/gm)].map(
      ([, name]) => name,
    );

    expect(new Set(sections)).toEqual(new Set(rules.map(({ alert }) => alert)));
    expect(sections).toHaveLength(rules.length);
    expect(
      rules.filter((rule) => rule.annotations.runbook !== `docs/OPERATING.md#${rule.alert.toLowerCase()}`),
    ).toEqual([]);
    expect(rules.filter(({ labels }) => !['page', 'ticket'].includes(labels.severity))).toEqual([]);
  });
});

const missing = programMissing('promtool', 'prometheus');
describe.runIf(missing === null)(`promtool ${missing ?? ''}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder.remove());

  it('reads the rules and what scrapes', () => {
    expect(runProgram('promtool', ['check', 'config', `${FOLDER}/prometheus.yaml`])).toMatch(
      /SUCCESS: 1 rule files/,
    );
  });

  it('sees the alerts fire when they have to, and else not', () => {
    expect(runProgram('promtool', ['test', 'rules', 'tests/deploy/alerts.promtool.yaml'])).toMatch(/SUCCESS/);
  });

  it('reads every expression of the dashboard', async () => {
    const recorded = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, at) => ({
        record: `panel:${at}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
      }));
    const file = join(folder.path, 'dashboard.yaml');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));

    expect(runProgram('promtool', ['check', 'rules', file])).toMatch(
      new RegExp(`SUCCESS: ${recorded.length} rules`),
    );
  });
});
