import { GraphQLJSON } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import { propertiesOf } from '../../core/operators/previews/property-origins.js';
import { connectionTo, toConnection, type Connection } from '../common/connection.js';
import { ForwardArgs, pageRequest } from '../common/page-args.js';
import { shownBody, shownUrl } from '../common/private-parts.js';
import { withDates } from '../common/dates.js';
import type { GraphqlContext } from '../context.js';
import { mediaById } from '../media/media-lookups.js';
import { Media } from '../media/media.type.js';
import { MemoryPreview, MemoryPreviewConnection, toMemoryPreview } from './memory-preview.type.js';
import { MemoryFilter, toWantedPreviews, PreviewListArgs } from './preview-list.input.js';
import { contentOfPreview } from './preview-lookups.js';
import { PreviewRefusal } from './preview-refusal.type.js';
import { OgProperty, Preview, PreviewConnection, toPreview, toProperties } from './preview.type.js';

/** Previews as stored and as remembered. */
@Resolver(() => Preview)
export class PreviewResolver {
  @Query(() => PreviewConnection)
  async previews(
    @Args(() => PreviewListArgs) { filter = null, sort = null, ...args }: PreviewListArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<Preview>> {
    const { services, signal } = context;
    const asked = { wanted: toWantedPreviews(filter, sort, context), request: pageRequest(args), signal };
    return connectionTo(services.previews.previews, asked, (record) => toPreview(record, context));
  }

  @Query(() => Preview, { nullable: true })
  async preview(
    @Arg('url', () => String) url: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Preview | null> {
    const record = await context.services.previews.previewRecords.findByUrl(url);
    return record === null ? null : toPreview(record, context);
  }

  @Query(() => MemoryPreviewConnection)
  memoryPreviews(
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Arg('filter', () => MemoryFilter, { nullable: true }) filter: MemoryFilter | null,
    @Ctx() context: GraphqlContext,
  ): Connection<MemoryPreview> {
    const wanted = {
      search: filter?.search ?? undefined,
      state: filter?.state ?? undefined,
      host: filter?.host?.trim() ?? undefined,
      // Only what they see can be searched.
      shown: (url: string) => shownUrl(url, context),
    };
    const { page, count } = context.services.previews.memory.page(wanted, pageRequest(args));
    return toConnection(
      page,
      (record) => toMemoryPreview(record, context),
      () => Promise.resolve(count),
    );
  }

  @Query(() => [PreviewRefusal], { description: 'The latest first, at most 50' })
  previewRefusals(@Ctx() { services }: GraphqlContext): PreviewRefusal[] {
    return services.refusals.list().map(withDates);
  }

  @FieldResolver(() => [OgProperty])
  async properties(@Root() { rowId }: Preview, @Ctx() context: GraphqlContext): Promise<OgProperty[]> {
    const content = await context.loaders.of(contentOfPreview).load(rowId);
    if (content === null) return [];
    return toProperties(propertiesOf(content.openGraph, content.oembedKeys), context);
  }

  @FieldResolver(() => GraphQLJSON)
  async raw(@Root() { rowId }: Preview, @Ctx() context: GraphqlContext): Promise<unknown> {
    const content = await context.loaders.of(contentOfPreview).load(rowId);
    return content === null ? {} : shownBody(content.openGraph, context);
  }

  @FieldResolver(() => Media, { nullable: true, description: 'The downloaded page or image' })
  media(@Root() { mediaId }: Preview, @Ctx() { loaders }: GraphqlContext): Promise<Media | null> {
    return loaders.of(mediaById).load(mediaId);
  }

  @FieldResolver(() => Media, { nullable: true, description: 'The pre-cached og:image' })
  async image(@Root() { imageMediaId }: Preview, @Ctx() { loaders }: GraphqlContext): Promise<Media | null> {
    return imageMediaId === null ? null : loaders.of(mediaById).load(imageMediaId);
  }

  @FieldResolver(() => MemoryPreview, { nullable: true })
  inMemory(@Root() { fullUrl }: Preview, @Ctx() context: GraphqlContext): MemoryPreview | null {
    const { memory } = context.services.previews;
    const record = memory.findByUrl(fullUrl);
    return record === null ? null : toMemoryPreview(record, context);
  }
}
