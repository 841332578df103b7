import type { HealthLine } from '../../src/core/operators/health/health.js';
import type { TestService } from './service.js';

/** The line of health by its ID. */
export async function healthLine(service: TestService, wanted: string): Promise<HealthLine | undefined> {
  return (await service.context.services.health.look()).find(({ id }) => id === wanted);
}
