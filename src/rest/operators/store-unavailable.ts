import type { DatabaseOptions } from '../../core/store/db.js';
import { explainStoreError, type StoreErrorCauses } from '../../core/store/store-errors.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { Lifecycle } from '../../core/base/lifecycle.js';

const OPENING: StoreErrorCauses = {
  error: 'It is being opened.',
  causes: [
    'Migrations are running after an upgrade; a large store takes some minutes.',
    'The database answers slowly.',
  ],
};

const STOPPING: StoreErrorCauses = {
  error: 'The service is stopping.',
  causes: ['It is being restarted.', 'Somebody has stopped it.'],
};

const RETRY_AFTER_SECONDS = 2;

/** The 503 for a service that is not ready, with store, error and likely causes; `null` when it is ready. */
export function storeUnavailable(lifecycle: Lifecycle, options: DatabaseOptions): ApiError | null {
  const { ready, phase } = lifecycle.readiness();
  if (ready) return null;
  const { error, causes } =
    phase === 'starting' ? OPENING : phase === 'draining' ? STOPPING : explainStoreError(lifecycle.cause);
  // Only the engine: where it is goes into the log.
  const store = options.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return new ApiError(503, `${store}: ${error}`, {
    reason: 'store_unavailable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    extra: { store, fault: error, causes },
  });
}
