import { Ctx, FieldResolver, Int, Query, Resolver } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { Log, toLog } from './log.type.js';

@Resolver(() => Log)
export class LogResolver {
  @Query(() => Log, { nullable: true, description: 'Null where the log is off' })
  log(@Ctx() { services }: GraphqlContext): Log | null {
    return services.log === null ? null : toLog(services.log.view());
  }

  @FieldResolver(() => Int, { description: 'Entries that are not in the log yet; counted up to 100,000' })
  async waiting(@Ctx() { services }: GraphqlContext): Promise<number> {
    return (await services.log?.countWaiting()) ?? 0;
  }
}
