import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { temporaryFolder } from '../cli/vidimus.js';
import { readText } from '../docs/repository-files.js';
import { programMissing, runProgram } from './unit-file.js';
import { setService } from '../support/world.js';

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

const labelsGroupedBy = (expr: string) =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));

describe('alerts and dashboard', () => {
  const service = setService();
  let text: string;
  let known: Map<string, string[]>;
  beforeAll(async () => {
    text = await (await fetch(`${service.url}/metrics`)).text();
    const metrics = service.context.parts.metrics.registry.getMetricsAsArray();
    known = new Map(
      metrics.map((metric) => [metric.name, (metric as unknown as { labelNames: string[] }).labelNames]),
    );
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
        service.context.services.jobs.registry.definitions().length,
      );
  });

  it('have unit tests: each alert fires in one, with all that it says, and keeps still in one', () => {
    const cases = tests.flatMap(({ alert_rule_test: each }) => each);
    const names = (fires: boolean) =>
      new Set(cases.filter((each) => each.exp_alerts.length > 0 === fires).map((each) => each.alertname));
    const all = new Set(rules.map(({ alert }) => alert));
    expect({ fire: names(true), keepStill: names(false) }).toEqual({ fire: all, keepStill: all });
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
});
