import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { KeyEvent } from './key-event.type.js';

/** What is read of a key event only when somebody asks. */
@Resolver(() => KeyEvent)
export class KeyEventResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Proof that the log holds the record it came with, a .tlog-proof; null where there is none, or not yet',
  })
  async logProof(
    @Root() { recordId }: KeyEvent,
    @Ctx() { services }: GraphqlContext,
  ): Promise<string | null> {
    if (recordId === null) return null;
    return (await services.log?.proveRecord(recordId)) ?? null;
  }
}
