import { GraphQLJSON } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';

import { parseUrl } from '../../core/base/text/parse-url.js';
import { propertiesOf } from '../../core/operators/previews/property-origins.js';
import { lookupBy } from '../common/batch-loader.js';
import { connectionTo, type Connection } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { badUserInput } from '../common/graphql-errors.js';
import { rowOfNodeId } from '../common/ids.js';
import { pageRequest } from '../common/page-args.js';
import { shownBody } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { Media, mediaById } from '../media/media.type.js';
import { PreviewListArgs, toWantedPreviews } from './preview-list.js';
import {
  OgProperty,
  Preview,
  PreviewConnection,
  PreviewRefusal,
  previewById,
  toPreview,
  toProperties,
} from './preview.type.js';

/** Contents of stored previews by row. */
const contentOfPreview = lookupBy(
  (ids: readonly number[], { services }: GraphqlContext) => services.previews.previewRecords.contents(ids),
  ({ id }) => id,
  (content) => content,
);

@Resolver(() => Preview)
export class PreviewResolver {
  @Query(() => PreviewConnection, { description: 'Stored previews' })
  async previews(
    @Args(() => PreviewListArgs) args: PreviewListArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<Preview>> {
    const { services, signal } = context;
    const asked = { wanted: toWantedPreviews(args, context), request: pageRequest(args), signal };
    return connectionTo(services.previews.previews, asked, (record) => toPreview(record, context));
  }

  @Query(() => Preview, {
    nullable: true,
    description: 'One stored preview by its ID, or the newest of a URL',
  })
  async preview(
    @Arg('id', () => ID, { nullable: true, description: 'ID of a preview' }) id: string | null | undefined,
    @Arg('url', () => String, { nullable: true, description: 'The URL' }) url: string | null | undefined,
    @Ctx() context: GraphqlContext,
  ): Promise<Preview | null> {
    const { previewRecords } = context.services.previews;
    if (typeof id === 'string') return context.loaders.of(previewById).load(rowOfNodeId('Preview', id) ?? 0);
    if (typeof url !== 'string' || parseUrl(url) === null) throw badUserInput('url is not a URL');
    const record = await previewRecords.findByUrl(url);
    return record === null ? null : toPreview(record, context);
  }

  @Query(() => [PreviewRefusal], {
    description: 'Refused preview requests by reason, latest first, at most 50',
  })
  previewRefusals(@Ctx() { services }: GraphqlContext): PreviewRefusal[] {
    return services.refusals.list().map(withDates);
  }

  @FieldResolver(() => [OgProperty], { description: 'Values for clients, with their sources' })
  async properties(@Root() { rowId }: Preview, @Ctx() context: GraphqlContext): Promise<OgProperty[]> {
    const content = await context.loaders.of(contentOfPreview).load(rowId);
    if (content === null) return [];
    return toProperties(propertiesOf(content.openGraph, content.oembedKeys), context);
  }

  @FieldResolver(() => GraphQLJSON, { description: 'The answer for clients' })
  async raw(@Root() { rowId }: Preview, @Ctx() context: GraphqlContext): Promise<unknown> {
    const content = await context.loaders.of(contentOfPreview).load(rowId);
    return content === null ? {} : shownBody(content.openGraph, context);
  }

  @FieldResolver(() => Media, { nullable: true, description: 'The downloaded page or image' })
  media(@Root() { mediaId }: Preview, @Ctx() { loaders }: GraphqlContext): Promise<Media | null> {
    return loaders.of(mediaById).load(mediaId);
  }

  @FieldResolver(() => Media, { nullable: true, description: 'The stored image' })
  async image(@Root() { imageMediaId }: Preview, @Ctx() { loaders }: GraphqlContext): Promise<Media | null> {
    return imageMediaId === null ? null : loaders.of(mediaById).load(imageMediaId);
  }
}
