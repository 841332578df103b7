import { ObjectType, Resolver } from 'type-graphql';

import { ApiError } from '../../core/base/errors/api-error.js';
import type { UserErrorCode } from '../common/enums.js';
import { ArgsMutation, payloadOf, userError, payloadFields, type UserError } from '../common/mutation.js';
import { rowOfNodeId } from '../nodes/node-id.js';
import { RunPayload } from '../common/payloads.type.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { CancelJobRunArgs, RunJobArgs, SetJobPausedArgs } from './job.input.js';
import { toJobRun } from './job-run.type.js';
import { Job, toJob } from './job.type.js';
import { nullable } from '../common/fields.js';

@ObjectType()
export class SetJobPausedPayload extends payloadFields({
  job: nullable(Job),
}) {}

const CODES: Readonly<Record<string, UserErrorCode>> = {
  unknown_job: 'NOT_FOUND',
  needs_selection: 'INVALID',
  not_periodic: 'INVALID',
  designated_elsewhere: 'CONFLICT',
  already_running: 'ALREADY_RUNNING',
};

/** What operators do with jobs. */
@Resolver()
export class JobMutations {
  @Requires('operator')
  @ArgsMutation(RunJobArgs, RunPayload)
  async runJob(input: RunJobArgs, context: GraphqlContext): Promise<RunPayload> {
    const { name } = input;
    const { registry } = context.services.jobs;
    context.audit.about({ targetType: 'Job', targetId: name, summary: `Run the job ${name} now` });
    try {
      const { run } = await registry.runNow(name, viewerOf(context).name);
      context.audit.about({ detail: { run: run.id } });
      return { ...payloadOf(), run: toJobRun(run) };
    } catch (error) {
      const expected = expectedError(error);
      const [status] = expected.code === 'ALREADY_RUNNING' ? await registry.list([name]) : [];
      const run = status?.lastRun?.outcome === 'running' ? toJobRun(status.lastRun) : null;
      return { ...payloadOf([expected]), run };
    }
  }

  @Requires('operator')
  @ArgsMutation(CancelJobRunArgs, RunPayload)
  async cancelJobRun(input: CancelJobRunArgs, context: GraphqlContext): Promise<RunPayload> {
    const { runner, runs } = context.services.jobs;
    context.audit.about({ targetType: 'JobRun', targetId: input.id, summary: 'End a run of a job' });
    const id = rowOfNodeId('JobRun', input.id);
    const isEnding = id !== null && (await runner.cancel(id));
    const [run] = id === null ? [] : await runs.find([id]);
    if (run === undefined) return payloadOf([userError('NOT_FOUND', 'There is no such run', 'id')]);
    context.audit.about({ summary: `End run ${run.id} of the job ${run.job}` });
    const errors = isEnding ? [] : [userError('CONFLICT', 'The run is over already', 'id')];
    return { ...payloadOf(errors), run: toJobRun(run) };
  }

  @Requires('admin')
  @ArgsMutation(SetJobPausedArgs, SetJobPausedPayload)
  async setJobPaused(input: SetJobPausedArgs, context: GraphqlContext): Promise<SetJobPausedPayload> {
    const { name, paused } = input;
    const { registry } = context.services.jobs;
    const reason = (input.reason ?? '').trim();
    const summary = `${paused ? 'Pause' : 'Resume'} the job ${name}`;
    context.audit.about({
      targetType: 'Job',
      targetId: name,
      summary,
      ...(reason === '' ? {} : { detail: { reason } }),
    });
    if (reason.length > MAX_REASON_LENGTH) {
      const message = `The reason is longer than ${MAX_REASON_LENGTH} characters`;
      return payloadOf([userError('INVALID', message, 'reason')]);
    }
    try {
      await registry.setPaused(name, { paused, actor: viewerOf(context).name, reason });
    } catch (error) {
      return payloadOf([expectedError(error)]);
    }
    const [status] = await registry.list([name]);
    return { ...payloadOf(), job: status === undefined ? null : toJob(status) };
  }
}

const MAX_REASON_LENGTH = 500;

/** What an operator can understand; everything else is thrown on. */
function expectedError(error: unknown): UserError {
  const code = error instanceof ApiError && error.reason !== null ? CODES[error.reason] : undefined;
  if (code === undefined || !(error instanceof ApiError)) throw error;
  return userError(code, error.message, code === 'ALREADY_RUNNING' ? null : 'name');
}
