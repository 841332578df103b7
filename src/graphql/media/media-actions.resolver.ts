import { Resolver } from 'type-graphql';

import { parseMediaId } from '../../core/preview/media/media-id.js';
import { runDeletion } from '../common/deletion.js';
import { keyOfNodeId, toNodeId } from '../nodes/node-id.js';
import { DeletePayload } from '../common/payloads.type.js';
import { Requires } from '../common/requires.js';
import { ArgsMutation } from '../common/mutation.js';
import type { GraphqlContext } from '../context.js';
import { DeleteMediaArgs } from './media-actions.input.js';
import { toMediaFilter } from './media-list.input.js';

/** What operators do with media. */
@Resolver()
export class MediaActionsResolver {
  @Requires('admin')
  @ArgsMutation(DeleteMediaArgs, DeletePayload)
  deleteMedia(input: DeleteMediaArgs, context: GraphqlContext): Promise<DeletePayload> {
    context.audit.about({ targetType: 'Media', summary: 'Delete media' });
    const kind = {
      deletion: context.services.previews.deleteMedia,
      readFilter: () => toMediaFilter(input.filter ?? null, context),
      readId: (id: string) => {
        const mediaId = keyOfNodeId('Media', id);
        return mediaId === null || parseMediaId(mediaId) === null ? null : mediaId;
      },
      writeId: (mediaId: string) => toNodeId('Media', mediaId),
      action: 'deleteMedia',
      countAction: 'countMedia',
      noun: 'media',
    };
    return runDeletion(input, kind, context);
  }
}
