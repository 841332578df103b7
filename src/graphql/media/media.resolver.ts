import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import { HOST_PATTERN } from '../../core/base/text/url-host.js';
import { measureHost } from '../../core/operators/media/host-space.js';
import { pageOfAll } from '../../core/store/lists/page-of-all.js';
import { connectionTo, toConnection, type Connection } from '../common/connection.js';
import { ForwardArgs, pageRequest } from '../common/page-args.js';
import { hidesOwners } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { usersOfMedia } from '../previews/preview-lookups.js';
import { PreviewConnection, toPreview, type Preview } from '../previews/preview.type.js';
import { HostSpace } from './host-space.type.js';
import { toWantedMedia, MediaListArgs } from './media-list.input.js';
import { mediaById, thumbnailsOfMedia } from './media-lookups.js';
import { Media, MediaConnection, Thumbnail, toMedia, toThumbnail } from './media.type.js';

const PREVIEWS_AT_ONCE = 5;

/** Stored pages and images. */
@Resolver(() => Media)
export class MediaResolver {
  @Query(() => MediaConnection)
  async media(
    @Args(() => MediaListArgs) { filter = null, sort = null, ...args }: MediaListArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<Media>> {
    const { services, signal } = context;
    const asked = { wanted: toWantedMedia(filter, sort, context), request: pageRequest(args), signal };
    return connectionTo(services.previews.media, asked, (record) => toMedia(record, context));
  }

  @Query(() => Media, { nullable: true })
  mediaItem(
    @Arg('mediaId', () => String) mediaId: string,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<Media | null> {
    return loaders.of(mediaById).load(mediaId);
  }

  @Query(() => HostSpace, { description: 'What is stored of a host; the latest 5,000 media are looked at' })
  async hostSpace(
    @Arg('host', () => String, { description: HOST_PATTERN }) host: string,
    @Ctx() context: GraphqlContext,
  ): Promise<HostSpace> {
    const { owners, ...space } = await measureHost(context.services.database, host);
    return { ...space, owners: hidesOwners(context) ? null : owners };
  }

  @FieldResolver(() => [Thumbnail])
  async thumbnails(
    @Root() { mediaId, viewPath }: Media,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<Thumbnail[]> {
    const rows = (await loaders.of(thumbnailsOfMedia).load(mediaId)) ?? [];
    return rows.map((row) => toThumbnail(row, viewPath));
  }

  @FieldResolver(() => PreviewConnection)
  async previews(
    @Root() { mediaId }: Media,
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<Preview>> {
    const users = (await context.loaders.of(usersOfMedia).load(mediaId)) ?? [];
    const page = pageOfAll(users, pageRequest(args, PREVIEWS_AT_ONCE), {
      name: 'media_previews',
      numberOf: ({ id }) => id,
    });
    return toConnection(
      page,
      (record) => toPreview(record, context),
      () => Promise.resolve({ count: users.length, exact: true }),
    );
  }
}
