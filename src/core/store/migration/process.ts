import { fork } from 'node:child_process';
import { join } from 'node:path';
import { ApiError } from '../../base/errors/api-error.js';
import type { MigrationAnswer } from './child.js';
import { storeAway } from '../store-error-causes.js';
import { builtFolder, packageRoot } from './files.js';
import type { MigrationJob } from './job.js';

const MAX_ERROR_CHARS = 8192;

/**
 * Runs a job in a process of its own: the schema engine never gives its memory back, and its panics must not
 * end the server.
 * Resolves to the names applied; rejects with `ApiError`, `storeUnavailable` or `migration_failed`.
 */
export async function runInOwnProcess(job: MigrationJob): Promise<string[]> {
  const isSource = import.meta.url.endsWith('.ts');
  const [folder, end] = isSource ? [join(packageRoot(), 'src'), 'ts'] : [join(builtFolder(), 'server'), 'js'];
  const child = fork(join(folder, `core/store/migration/child.${end}`), {
    cwd: packageRoot(),
    execArgv: isSource ? ['--import', 'tsx'] : [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-MAX_ERROR_CHARS);
  });
  const answer = await new Promise<MigrationAnswer | null>((resolve, reject) => {
    let received: MigrationAnswer | null = null;
    child.on('message', (message: MigrationAnswer) => {
      received = message;
    });
    child.on('error', reject);
    child.on('close', () => resolve(received));
    // The URL of a database holds a password, so it goes neither into arguments nor into the environment.
    child.send(job);
  });
  if (answer?.ok === true) return answer.applied;
  if (answer?.unavailable === true) throw storeAway(answer.message, job.options);
  throw migrationFailed(answer?.message ?? `The process of the migration ended early. ${errorText}`);
}

const migrationFailed = (detail: string): ApiError =>
  new ApiError(500, `Migrating the database failed: ${detail.trim()}`, {
    reason: 'migration_failed',
  });
