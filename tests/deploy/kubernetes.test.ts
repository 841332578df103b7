import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { createProgram } from '../../src/cli/program.js';
import { formatConfigError } from '../../src/config/config-errors.js';
import { loadConfig } from '../../src/config/load-config.js';
import type { Config } from '../../src/config/schema.js';
import { temporaryFolder } from '../cli/vidimus.js';
import { readText } from '../docs/repository-files.js';
import { programMissing, runProgram } from './unit-file.js';

const FOLDER = 'deploy/kubernetes';
const NOT_OBJECTS = ['kustomization.yaml', 'config.yaml'];

interface Container {
  name: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } } | undefined;
}

interface KubernetesObject {
  kind: string;
  metadata: { name: string };
  spec?: {
    selector?: Record<string, unknown>;
    template?: {
      metadata: { labels: Record<string, string> };
      spec: { terminationGracePeriodSeconds?: number; securityContext: object; containers: Container[] };
    };
    ports?: { targetPort: string }[];
  };
}

const MODELS = { Deployment, Job, PodDisruptionBudget, Namespace, Service };

const files = readdirSync(FOLDER).filter((file) => !NOT_OBJECTS.includes(file));
const objects = files.flatMap((file) =>
  parseAllDocuments(readText(`${FOLDER}/${file}`)).map((document) => document.toJS() as KubernetesObject),
);
const byKind = (kind: string) => objects.filter((object) => object.kind === kind);
const templates = objects.flatMap(({ kind, spec }) =>
  spec?.template === undefined ? [] : [{ kind, ...spec.template }],
);
const [server] = byKind('Deployment');
const [container] = server?.spec?.template?.spec.containers ?? [];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let config: Config;
beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder.path, 'keys'));
  await writeFile(join(folder.path, 'config.yaml'), readText(`${FOLDER}/config.yaml`));
  const env = {
    VIDIMUS__DATABASE__URL: 'postgresql://vidimus:secret@database:5432/vidimus',
    VIDIMUS__MEDIA__S3__ACCESS_KEY_ID: 'vidimus',
    VIDIMUS__MEDIA__S3__SECRET_ACCESS_KEY: 'secret',
  };
  const loaded = loadConfig({ path: 'config.yaml', env, cwd: folder.path });
  if (!loaded.ok) throw new Error(loaded.errors.map(formatConfigError).join('\n'));
  if (loaded.warnings.length > 0) throw new Error(loaded.warnings.map(formatConfigError).join('\n'));
  config = loaded.config;
});
afterAll(() => folder.remove());

describe('the objects for Kubernetes', () => {
  it('are named by the kustomization, all of them', () => {
    const { resources } = parse(readText(`${FOLDER}/kustomization.yaml`)) as { resources: string[] };

    expect(resources.toSorted()).toEqual(files.toSorted());
  });

  it.each(objects)('$kind $metadata.name fits its schema', (object) => {
    const Model = MODELS[object.kind as keyof typeof MODELS];

    expect(() => new Model(object as never).validate()).not.toThrow();
    expect(() => new Model({ ...object, spec: { nonsense: 1 }, metadata: 1 } as never).validate()).toThrow(
      /metadata/,
    );
  });

  it.each(templates)('$kind runs without rights, and its root is read-only', ({ spec }) => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 990,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext } of spec.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('start commands that there are', () => {
    const known = createProgram().commands;
    for (const { args } of templates.flatMap(({ spec }) => spec.containers)) {
      const [name, sub] = args;
      const command = known.find((one) => one.name() === name);
      expect(command?.name()).toBe(name);
      expect(['serve', ...(command?.commands.map((one) => one.name()) ?? [])]).toContain(sub ?? name);
    }
    expect(byKind('Job')[0]?.spec?.template?.spec.containers[0]?.args).toEqual(['db', 'migrate']);
  });

  it('ask for health, and send clients, where the configuration serves them; operators are on loopback', () => {
    const portOf = (name: string) => container?.ports?.find((port) => port.name === name)?.containerPort;
    const listenerOf = (resource: 'health' | 'metrics' | 'admin' | 'keys') =>
      config.listeners.find(({ resources }) => resources.includes(resource));
    for (const [probe, path] of [
      ['startupProbe', '/health/live'],
      ['livenessProbe', '/health/live'],
      ['readinessProbe', '/health/ready'],
    ] as const) {
      expect(container?.[probe]?.httpGet).toEqual({ path, port: 'http' });
    }
    expect(listenerOf('health')).toMatchObject({ port: portOf('http'), x_forwarded: true });
    expect(listenerOf('keys')?.port).toBe(portOf('http'));
    expect(listenerOf('metrics')?.port).toBe(portOf('metrics'));
    expect(listenerOf('admin')?.bind_addresses).toEqual(['127.0.0.1']);
    const targets = byKind('Service').flatMap(({ spec }) => spec?.ports ?? []);
    expect(targets.map(({ targetPort }) => portOf(targetPort))).not.toContain(undefined);
  });

  it('give the server time to stop, and the budget and services mean its pods', () => {
    const { template } = server?.spec ?? {};
    const graceMs = 1000 * (template?.spec.terminationGracePeriodSeconds ?? 0);
    expect(graceMs).toBeGreaterThan(config.server.close_delay + config.server.drain_timeout + 10_500);
    const labels = template?.metadata.labels;
    expect(server?.spec?.selector).toEqual({ matchLabels: labels });
    expect(byKind('PodDisruptionBudget')[0]?.spec?.selector).toEqual({ matchLabels: labels });
    for (const { spec } of byKind('Service')) expect(spec?.selector).toEqual(labels);
    expect(byKind('Job')[0]?.spec?.template?.metadata.labels).not.toEqual(labels);
  });

  const missing = programMissing('kubectl', 'kubernetes-client');
  it.skipIf(missing !== null)(`are rendered by kubectl kustomize ${missing ?? ''}`, () => {
    const rendered = parseAllDocuments(runProgram('kubectl', ['kustomize', FOLDER]));

    expect(rendered).toHaveLength(objects.length + 1);
    expect(rendered.map((document) => String(document))).not.toContainEqual(
      expect.stringMatching(/image: vidimus$/m),
    );
  });
});
