import type { HealthCheck } from '../../src/core/operators/overview/health/health-check.js';
import type { TestService } from './service.js';

/** The line of health by its key. */
export async function healthLine(service: TestService, wanted: string): Promise<HealthCheck | undefined> {
  const { checks } = await service.context.services.operators.overview.health();
  return checks.find(({ key }) => key === wanted);
}
