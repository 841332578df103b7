import { at, mutation, runLine, textAt, valuesAt, word, type Operation } from '../operation.js';

const NAME = { flags: '<name>', text: 'a name from "vidimus job ls"', to: 'name' };

export const SERVER_OPERATIONS: readonly Operation[] = [
  {
    command: 'health',
    text: 'list the health checks of the running server',
    document:
      'query ($fresh: Boolean! = false) { overview { health(fresh: $fresh) { key title state message advice } } }',
    parameters: [{ flags: '--fresh', text: 'run slow checks now', to: 'fresh' }],
    shows: {
      rows: 'health',
      columns: { STATE: word('state'), CHECK: 'title', FOUND: 'message', ADVICE: 'advice' },
      empty: 'There are no checks.',
    },
  },
  {
    command: 'config reload',
    text: 'reload the configuration of the running server',
    example: '--dry-run',
    document: mutation('reloadSettings', '$dryRun: Boolean! = false', 'changed { path from to waits }'),
    parameters: [{ flags: '--dry-run', text: 'only show what would change', to: 'dryRun' }],
    shows: reloadLines,
  },
  {
    command: 'job ls',
    text: 'list the background jobs with state and last run',
    document: `query { jobs { name title everyMs state reason nextRunAt
      lastRun { id startedAt finishedAt outcome message counts { name value } } } }`,
    shows: {
      columns: {
        JOB: 'name',
        STATE: word('state'),
        'LAST RUN': 'lastRun.startedAt',
        OUTCOME: word('lastRun.outcome'),
        '': (job) => textAt(job, 'reason') || textAt(job, 'lastRun.message'),
      },
      empty: 'There are no jobs.',
    },
  },
  {
    command: 'job run',
    text: 'run a job now and wait until it ends',
    example: 'media_sweep',
    document: mutation('runJob', '$name: String!', 'run { id outcome }'),
    parameters: [NAME],
    shows: (answer) => runLine(at(answer, 'run')),
  },
  {
    command: 'job pause',
    text: 'pause a job on all instances, or resume it',
    example: 'preview_cleanup --reason "moving the disk"',
    document: mutation(
      'setJobPaused',
      '$name: String!, $paused: Boolean! = true, $reason: String',
      'job { name state reason }',
    ),
    parameters: [
      NAME,
      { flags: '--reason <text>', text: 'reason, shown to other operators', to: 'reason' },
      { flags: '--resume', text: 'resume it instead', to: 'paused', value: false },
    ],
    shows: (answer) =>
      `${textAt(answer, 'job.name')} is ${word('job.state')(answer) === 'paused' ? 'paused' : 'resumed'}.`,
  },
  {
    command: 'webhook test',
    text: 'send a test to the webhook and show its answer',
    document: mutation('testWebhook', '', 'delivered message'),
    shows: (answer) => textAt(answer, 'message'),
  },
];

function reloadLines(answer: unknown): string[] {
  const changed = valuesAt(answer, 'changed');
  if (changed.length === 0) return ['The file matches the running settings.'];
  return changed.map((change) => {
    const restart = at(change, 'waits') === true ? '  (needs a restart)' : '';
    const [from, to] = [at(change, 'from'), at(change, 'to')].map((value) => JSON.stringify(value));
    // Values of secrets are never told.
    const what = from === to ? '(secret)' : `${from} → ${to}`;
    return `${textAt(change, 'path')}: ${what}${restart}`;
  });
}
