import { ArgsType, ID, Resolver } from 'type-graphql';

import { ApiError } from '../../core/base/errors/api-error.js';
import type { UserErrorCode } from '../common/enums.js';
import { field, nullable } from '../common/fields.js';
import { ArgsMutation, mutationArgs, payloadOf, userError, type UserError } from '../common/mutation.js';
import { JobPayload } from '../common/payloads.type.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { toJob, toJobRun } from './job.type.js';
import { rowOfNodeId } from '../common/ids.js';

@ArgsType()
class RunJobArgs extends mutationArgs({
  name: field(String, 'Name of the job'),
}) {}

@ArgsType()
class CancelJobRunArgs extends mutationArgs({
  id: field(ID, 'ID of the run'),
}) {}

@ArgsType()
class SetJobPausedArgs extends mutationArgs({
  name: field(String, 'Name of the job'),
  paused: field(Boolean, 'True pauses it, false resumes it'),
  reason: nullable(String, 'Why, for other operators'),
}) {}

const MAX_REASON_LENGTH = 500;

const CODES: Readonly<Record<string, UserErrorCode>> = {
  unknown_job: 'NOT_FOUND',
  needs_selection: 'INVALID',
  not_periodic: 'INVALID',
  designated_elsewhere: 'CONFLICT',
  already_running: 'ALREADY_RUNNING',
};

@Resolver()
export class JobMutations {
  @Requires('operator')
  @ArgsMutation(RunJobArgs, JobPayload, 'Starts a job now')
  async runJob({ name }: RunJobArgs, context: GraphqlContext): Promise<JobPayload> {
    const { registry } = context.services.jobs;
    context.audit.about({ targetType: 'Job', targetId: name, summary: `Run the job ${name}` });
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
  @ArgsMutation(CancelJobRunArgs, JobPayload, 'Cancels a run after its current batch')
  async cancelJobRun({ id: nodeId }: CancelJobRunArgs, context: GraphqlContext): Promise<JobPayload> {
    const { runner, runs } = context.services.jobs;
    context.audit.about({ targetType: 'JobRun', targetId: nodeId, summary: 'Cancel a job run' });
    const id = rowOfNodeId('JobRun', nodeId);
    const isEnding = id !== null && (await runner.cancel(id));
    const [run] = id === null ? [] : await runs.find([id]);
    if (run === undefined) return payloadOf([userError('NOT_FOUND', 'There is no such run', 'id')]);
    context.audit.about({ summary: `Cancel run ${run.id} of the job ${run.job}` });
    const errors = isEnding ? [] : [userError('CONFLICT', 'The run has already ended', 'id')];
    return { ...payloadOf(errors), run: toJobRun(run) };
  }

  @Requires('admin')
  @ArgsMutation(SetJobPausedArgs, JobPayload, 'Pauses or resumes a job on all instances')
  async setJobPaused(args: SetJobPausedArgs, context: GraphqlContext): Promise<JobPayload> {
    const { name, paused } = args;
    const { registry } = context.services.jobs;
    const reason = (args.reason ?? '').trim();
    const summary = `${paused ? 'Pause' : 'Resume'} the job ${name}`;
    const detail = reason === '' ? {} : { detail: { reason: reason.slice(0, MAX_REASON_LENGTH) } };
    context.audit.about({ targetType: 'Job', targetId: name, summary, ...detail });
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

/** What an operator can act on; anything else is thrown on. */
function expectedError(error: unknown): UserError {
  const code = error instanceof ApiError && error.reason !== null ? CODES[error.reason] : undefined;
  if (code === undefined || !(error instanceof ApiError)) throw error;
  return userError(code, error.message, code === 'ALREADY_RUNNING' ? null : 'name');
}
