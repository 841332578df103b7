import { objectSchema, schemaNamed } from './json-schema.js';
import type { Route, RouteAnswer } from './route.js';

const JSON_TYPE = 'application/json';

function rootRoute(path: string, operation: RootOperation): Route<'get'> {
  const { label = 'other', id, summary, answers, access = 'anybody', errors = [] } = operation;
  return {
    tag: 'Service',
    label,
    base: 'root',
    folders: [''],
    path,
    parameters: {},
    methods: ['GET', 'HEAD'],
    operations: { get: { id, summary, access, answers, errors } },
  };
}

interface RootOperation {
  label?: string;
  id: string;
  summary: string;
  access?: 'anybody' | 'metrics';
  answers: readonly RouteAnswer[];
  errors?: readonly number[];
}

/** Health of the process. */
export const HEALTH_ROUTES = {
  live: rootRoute('/health/live', {
    id: 'getLiveness',
    summary: 'whether the process answers',
    answers: [
      {
        status: 200,
        description: 'It does.',
        content: { [JSON_TYPE]: objectSchema({ status: { const: 'live' } }) },
      },
    ],
  }),
  ready: rootRoute('/health/ready', {
    id: 'getReadiness',
    summary: 'whether it can do its work',
    answers: [
      { status: 200, description: 'It can.', content: { [JSON_TYPE]: schemaNamed('Readiness') } },
      { status: 503, description: 'It cannot, and why.', content: { [JSON_TYPE]: schemaNamed('Readiness') } },
    ],
  }),
};

/** Figures for Prometheus. */
export const METRICS_ROUTES = {
  metrics: rootRoute('/metrics', {
    id: 'getMetrics',
    summary: 'figures in the text format of Prometheus',
    access: 'metrics',
    answers: [{ status: 200, description: 'The figures.', content: { 'text/plain': { type: 'string' } } }],
    errors: [401],
  }),
};
