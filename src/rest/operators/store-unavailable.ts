import type { DatabaseOptions } from '../../core/store/db.js';
import { explainStoreFault, nameOfStore } from '../../core/store/store-error-causes.js';
import type { StoreFault } from '../../core/store/store-error-causes.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { Lifecycle } from '../../core/base/lifecycle.js';

const OPENING: StoreFault = {
  fault: 'It is being opened.',
  causes: [
    'Migrations are running after an upgrade; a large store takes some minutes.',
    'The database answers slowly.',
  ],
};

const STOPPING: StoreFault = {
  fault: 'The service is stopping.',
  causes: ['It is being restarted.', 'Somebody has stopped it.'],
};

const RETRY_AFTER_SECONDS = 2;

/** The 503 for a service that is not ready, with store, fault and likely causes; `null` when it is ready. */
export function storeTrouble(lifecycle: Lifecycle, options: DatabaseOptions): ApiError | null {
  const { ready, phase } = lifecycle.readiness();
  if (ready) return null;
  const { fault, causes } =
    phase === 'starting' ? OPENING : phase === 'draining' ? STOPPING : explainStoreFault(lifecycle.cause);
  const store = nameOfStore(options);
  return new ApiError(503, 'M_UNKNOWN', `${store}: ${fault}`, {
    reason: 'store_unavailable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    extra: { store, fault, causes },
  });
}
