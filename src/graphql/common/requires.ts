import { Extensions } from 'type-graphql';

import type { Role } from '../../core/access/operators/viewer.js';

/**
 * Lowest role that may read a field; without it every signed-in operator may. A root field is refused with
 * `FORBIDDEN`, another one (which must be nullable) is null. `guardFields` enforces it, the printed schema shows it
 * as `@auth`.
 */
export function Requires(role: Role): MethodDecorator & PropertyDecorator {
  return Extensions({ requires: role });
}
