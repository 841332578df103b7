import { followRun, runLine } from '../follow-run.js';
import { at, mutation, textAt, word, type Operation } from '../operation.js';

const NAME = { flags: '<name>', text: 'a name from "vidimus job ls"', to: 'name' };

/** Jobs of the running server, health, and what it is asked for by hand. */
export const JOB_OPERATIONS: readonly Operation[] = [
  {
    command: 'job ls',
    text: 'list the background jobs with state and last run',
    examples: ['-c config.yaml', '-c config.yaml --json'],
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
    text: 'run a job now, in the server, and wait until it ends; Ctrl-C ends it after the batch it is at',
    examples: ['preview_cleanup -c config.yaml', 'media_sweep -c config.yaml'],
    document: mutation('runJob', '$name: String!', 'run { id outcome }'),
    parameters: [{ flags: '<name>', text: 'a name from "vidimus job ls"', to: 'name' }],
    follow: followRun,
    shows: (answer) => runLine(at(answer, 'run')),
    lists: 'job ls',
  },
  {
    command: 'job pause',
    text: 'pause a job on all instances',
    examples: ['preview_cleanup --reason "disk is being moved" -c config.yaml'],
    document: mutation(
      'setJobPaused',
      '$name: String!, $paused: Boolean!, $reason: String',
      'job { name state reason }',
    ),
    parameters: [NAME, { flags: '--reason <text>', text: 'why, for those who look later', to: 'reason' }],
    variables: { paused: true },
    shows: (answer) => `${textAt(answer, 'job.name')} is paused.`,
    lists: 'job ls',
  },
  {
    command: 'job resume',
    text: 'let a paused job go on',
    examples: ['preview_cleanup -c config.yaml'],
    document: mutation(
      'setJobPaused',
      '$name: String!, $paused: Boolean!, $reason: String',
      'job { name state reason }',
    ),
    parameters: [NAME],
    variables: { paused: false },
    shows: (answer) => `${textAt(answer, 'job.name')} goes on.`,
    lists: 'job ls',
  },
  {
    command: 'job runs',
    text: 'the latest runs of a job, with their IDs',
    examples: ['preview_cleanup -c config.yaml'],
    document: `query ($name: String!) { job(name: $name) {
      runs(first: 100) { nodes { id startedAt finishedAt outcome actor cause message } } } }`,
    parameters: [{ ...NAME, to: 'name' }],
    shows: {
      rows: 'runs',
      columns: {
        ID: 'id',
        STARTED: 'startedAt',
        FINISHED: 'finishedAt',
        OUTCOME: word('outcome'),
        BY: 'actor',
        '': 'message',
      },
      empty: 'There are no runs of such a job; "vidimus job ls" shows the jobs.',
    },
  },
  {
    command: 'job cancel',
    text: 'end a run after the batch it is at',
    examples: ['RUN_ID -c config.yaml'],
    document: mutation('cancelJobRun', '$id: ID!', 'run { id outcome }'),
    parameters: [{ flags: '<id>', text: 'an ID from "vidimus job runs"', to: 'id' }],
    shows: (answer) => `Told to end: ${textAt(answer, 'run.id')}`,
    lists: 'job runs NAME',
  },
  {
    command: 'webhook test',
    text: 'send a test to the webhook and print how it answers',
    examples: ['-c config.yaml'],
    document: mutation('testWebhook', '', 'delivered message'),
    shows: (answer) => textAt(answer, 'message'),
  },
];
