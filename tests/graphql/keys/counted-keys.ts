import { createKeyAdmin } from '../../../src/composition/operators.js';
import { startTestService, type TestService } from '../../support/service.js';
import { countingDatabase } from '../count-statements.js';
import { OperationRunner } from '../run-operation.js';

/** A service, and operations on its keys whose statements are counted. */
export interface CountedKeys {
  service: TestService;
  runner: OperationRunner;
  statements: () => number;
}

export async function startCountedKeys(): Promise<CountedKeys> {
  const service = await startTestService();
  const { context } = service;
  const { database, statements } = countingDatabase(context.parts.database);
  const { signingKeys } = context.services.signing;
  const parts = { ...context.parts, signingKeys, database };
  const keys = createKeyAdmin(context.config, parts, context.services);
  const runner = new OperationRunner({ ...context.services.operators, database, keys });
  return { service, runner, statements };
}
