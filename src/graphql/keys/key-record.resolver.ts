import { GraphQLJSON } from 'graphql-scalars';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import type { RecordView } from '../../core/operators/keys/record-view.js';
import { toPlainJson } from '../../core/base/json/plain-json.js';
import type { GraphqlContext } from '../context.js';
import { serverByName, viewOfRecord } from './key-lookups.js';
import { KeyRecord, SignatureCheck } from './key-record.type.js';
import { RemoteServer, namedServer } from './remote-server.type.js';

/** What is read of a record only when somebody asks. */
@Resolver(() => KeyRecord)
export class KeyRecordResolver {
  @FieldResolver(() => RemoteServer)
  async server(@Root() { serverName }: KeyRecord, @Ctx() context: GraphqlContext): Promise<RemoteServer> {
    const server = await context.loaders.of(serverByName).load(serverName);
    return server ?? namedServer(serverName, context);
  }

  @FieldResolver(() => [SignatureCheck])
  async signatures(@Root() record: KeyRecord, @Ctx() context: GraphqlContext): Promise<SignatureCheck[]> {
    const { signatures } = await viewOf(record, context);
    return signatures.map(({ isValid, ...rest }) => ({ ...rest, valid: isValid }));
  }

  @FieldResolver(() => GraphQLJSON, {
    description:
      'The record as the remote server published it; integers beyond 2^53-1 are strings here, see publishedText',
  })
  async published(@Root() record: KeyRecord, @Ctx() context: GraphqlContext): Promise<unknown> {
    return toPlainJson((await viewOf(record, context)).published);
  }

  @FieldResolver(() => String, { description: 'The record as published, byte for byte' })
  async publishedText(@Root() record: KeyRecord, @Ctx() context: GraphqlContext): Promise<string> {
    return (await viewOf(record, context)).publishedText;
  }

  @FieldResolver(() => GraphQLJSON, {
    description: "The same record as a peer would get it now, with this server's signatures",
  })
  async served(@Root() record: KeyRecord, @Ctx() context: GraphqlContext): Promise<unknown> {
    return toPlainJson((await viewOf(record, context)).served);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Proof that the log holds the record, a .tlog-proof; null where there is none, or not yet',
  })
  async logProof(
    @Root() { recordId }: KeyRecord,
    @Ctx() { services }: GraphqlContext,
  ): Promise<string | null> {
    return (await services.log?.proveRecord(recordId)) ?? null;
  }

  @FieldResolver(() => String, { description: 'The record as served, byte for byte' })
  async servedText(@Root() record: KeyRecord, @Ctx() context: GraphqlContext): Promise<string> {
    return (await viewOf(record, context)).servedText;
  }
}

async function viewOf({ recordId }: KeyRecord, { loaders }: GraphqlContext): Promise<RecordView> {
  const view = await loaders.of(viewOfRecord).load(recordId);
  if (view === null) throw new Error(`key record ${recordId} went while it was shown`);
  return view;
}
