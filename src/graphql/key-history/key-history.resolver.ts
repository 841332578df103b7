import { Arg, ArgsType, Args, Ctx, Field, Int, Query, Resolver } from 'type-graphql';

import { answerAt, findPair } from '../../core/operators/keys/history/answer-at.js';
import { keyTimelinesOf, marksOf } from '../../core/operators/keys/history/key-timelines.js';
import { findBandBefore } from '../../core/operators/keys/history/record-bands.js';
import { diffRecords } from '../../core/operators/keys/history/record-diff.js';
import { toConnection } from '../common/connection.js';
import { pageArgs, pageRequest } from '../common/page-args.js';
import type { GraphqlContext } from '../context.js';
import {
  KeyHistory,
  PastKeyAnswer,
  RecordChange,
  toKeyTimeline,
  toPastAnswer,
  toRecordBand,
} from './key-history.type.js';

@ArgsType()
class KeyHistoryArgs extends pageArgs({ server: String }) {}

@ArgsType()
class RecordDiffArgs {
  @Field(() => String)
  server!: string;

  @Field(() => Int)
  from!: number;

  @Field(() => Int)
  to!: number;
}

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

  @Query(() => PastKeyAnswer)
  async keyAnswerAt(
    @Arg('server', () => String) server: string,
    @Arg('at', () => Date) at: Date,
    @Ctx() { services }: GraphqlContext,
  ): Promise<PastKeyAnswer> {
    return toPastAnswer(await answerAt(services.database, server, at.getTime()));
  }

  @Query(() => [RecordChange], { nullable: true })
  async recordDiff(
    @Args(() => RecordDiffArgs) { server, from, to }: RecordDiffArgs,
    @Ctx() { services }: GraphqlContext,
  ): Promise<RecordChange[] | null> {
    const pair = await findPair(services.database, server, [from, to]);
    return pair === null ? null : diffRecords(...pair);
  }
}
