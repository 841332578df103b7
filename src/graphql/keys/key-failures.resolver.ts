import { Ctx, Int, ObjectType, Query, Resolver } from 'type-graphql';

import { findFailureGroups } from '../../core/operators/keys/failures/failure-groups.js';
import { openAlarms } from '../../core/operators/keys/key-alarms.js';
import { field, objectFields } from '../common/fields.js';
import type { GraphqlContext } from '../context.js';
import { FailureCause } from './keys.enums.js';

@ObjectType({ description: 'Servers whose last fetch failed for one cause' })
export class KeyFailureGroup extends objectFields({
  cause: FailureCause,
  servers: field(Int, { description: 'Those whose last fetch failed for it' }),
  lastDay: field(Int, { description: 'Fetches that failed for it within the last day' }),
  dayBefore: field(Int, { description: 'Fetches that failed for it within the day before' }),
}) {}

@ObjectType({ description: 'Why keys cannot be fetched' })
class KeyFailures extends objectFields({
  groups: field([KeyFailureGroup], { description: 'The largest first' }),
  alarms: field(Int, { description: 'Servers with a replaced key that nobody has acknowledged' }),
}) {}

@Resolver(() => KeyFailures)
export class KeyFailuresResolver {
  @Query(() => KeyFailures)
  async keyFailures(@Ctx() { services: { database, clock } }: GraphqlContext): Promise<KeyFailures> {
    const groups = await findFailureGroups(database, clock.now());
    const { servers: alarms } = await openAlarms(database);
    return { groups, alarms };
  }
}
