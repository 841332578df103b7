import { ArgsType, Args, Ctx, Query, Resolver } from 'type-graphql';

import { keyTimelinesOf, marksOf } from '../../core/operators/keys/history/key-timelines.js';
import { findBandBefore } from '../../core/operators/keys/history/record-bands.js';
import { toConnection } from '../common/connection.js';
import { pageArgs, pageRequest } from '../common/page-args.js';
import type { GraphqlContext } from '../context.js';
import { KeyHistory, toKeyTimeline, toRecordBand } from './key-history.type.js';

@ArgsType()
class KeyHistoryArgs extends pageArgs({ server: String }) {}

/** What was known of a server's keys, and when. */
@Resolver()
export class KeyHistoryResolver {
  @Query(() => KeyHistory)
  async keyHistory(
    @Args(() => KeyHistoryArgs) { server, ...args }: KeyHistoryArgs,
    @Ctx() { services: { keys, database, clock }, signal }: GraphqlContext,
  ): Promise<KeyHistory> {
    const page = await keys.bands.page(server, pageRequest(args), { signal });
    const bands = page.rows.map(({ row }) => row).toReversed();
    const before = bands[0] === undefined ? null : await findBandBefore(database, bands[0]);
    const { timelines, leftOut } = keyTimelinesOf(bands);
    return {
      bands: toConnection(page, toRecordBand, () => keys.bands.count(server, { signal })),
      keys: timelines.map(toKeyTimeline),
      keysLeftOut: leftOut,
      marks: marksOf(bands, { before, nowTs: clock.now() }).map(({ fromTs, untilTs, ...mark }) => ({
        ...mark,
        from: new Date(fromTs),
        until: untilTs === null ? null : new Date(untilTs),
      })),
    };
  }
}
