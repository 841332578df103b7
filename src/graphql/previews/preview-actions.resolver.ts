import { ArgsType, ID, Int, Resolver } from 'type-graphql';

import { ApiError } from '../../core/base/errors/api-error.js';
import { counted } from '../../core/base/text/counted.js';
import { runDeletion } from '../common/deletion.js';
import { field, nullable } from '../common/fields.js';
import { ArgsMutation, mutationArgs, payloadOf, userError } from '../common/mutation.js';
import { DeletePayload, JobPayload } from '../common/payloads.type.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { toJobRun } from '../jobs/job.type.js';
import { PreviewFilter, toPreviewFilter } from './preview-list.js';
import { rowOfNodeId } from '../common/ids.js';

const MAX_IDS = 100;

@ArgsType()
class RefreshPreviewsArgs extends mutationArgs({
  ids: field([ID], 'IDs of stored previews, at most 100'),
}) {}

@ArgsType()
class DeletePreviewsArgs extends mutationArgs({
  filter: field(PreviewFilter, 'Delete everything that matches'),
  expectedCount: nullable(Int, 'Number of matches that a dry run reported; required unless dryRun'),
  dryRun: field(Boolean, 'Only count', false),
  withMedia: field(Boolean, 'Also delete pages and images that no other preview uses', true),
}) {}

@ArgsType()
class ForgetMemoryPreviewsArgs extends mutationArgs({
  failedOnly: field(Boolean, 'Only failed ones', false),
}) {}

/** Operators' actions on previews. */
@Resolver()
export class PreviewActionsResolver {
  @Requires('operator')
  @ArgsMutation(RefreshPreviewsArgs, JobPayload, 'Generates stored previews again, in the background')
  async refreshPreviews({ ids: nodeIds }: RefreshPreviewsArgs, context: GraphqlContext): Promise<JobPayload> {
    const { services, requestId, audit } = context;
    const { replacement, previewRecords } = services.previews;
    audit.about({ targetType: 'Preview', summary: `Refresh ${counted(nodeIds.length, 'preview')}` });
    if (nodeIds.length > MAX_IDS)
      return payloadOf([userError('TOO_MANY', `At most ${MAX_IDS} at a time`, 'ids')]);
    const ids = nodeIds.map((id) => rowOfNodeId('Preview', id)).filter((id) => id !== null);
    if ((await previewRecords.find(ids)).length === 0)
      return payloadOf([userError('NOT_FOUND', 'None of these previews exists', 'ids')]);
    try {
      const run = await replacement.refresh({ ids, actor: viewerOf(context).name, requestId });
      audit.about({ detail: { run: run.id } });
      return { ...payloadOf(), run: toJobRun(run) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'already_running') throw error;
      return payloadOf([userError('ALREADY_RUNNING', error.message)]);
    }
  }

  @Requires('operator')
  @ArgsMutation(DeletePreviewsArgs, DeletePayload, 'Deletes previews from the store and from memory')
  deletePreviews(args: DeletePreviewsArgs, context: GraphqlContext): Promise<DeletePayload> {
    const { withMedia } = args;
    const kind = {
      deletion: context.services.previews.deletePreviews({ withMedia }),
      filter: toPreviewFilter(args.filter, context),
      targetType: 'Preview',
      actions: ['deletePreviews', 'countPreviews'] as const,
      noun: 'previews',
    };
    return runDeletion(args, kind, context);
  }

  @Requires('operator')
  @ArgsMutation(ForgetMemoryPreviewsArgs, DeletePayload, 'Clears previews from the memory of all instances')
  async forgetMemoryPreviews(
    { failedOnly }: ForgetMemoryPreviewsArgs,
    { services, audit }: GraphqlContext,
  ): Promise<DeletePayload> {
    const summary = `Clear ${failedOnly ? 'failed previews' : 'all previews'} from memory`;
    audit.about({ targetType: 'Preview', summary });
    const { length: matched } = await services.previews.forgetting.forgetAll({ failedOnly });
    audit.about({ detail: { matched } });
    return { ...payloadOf(), matched, deleted: matched, freedBytes: 0 };
  }
}
