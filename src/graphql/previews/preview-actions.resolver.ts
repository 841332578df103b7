import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import { counted } from '../../core/base/text/counted.js';
import { parseUrl } from '../../core/base/text/parse-url.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { runDeletion } from '../common/deletion.js';
import { describeStage, STAGE_TITLES } from '../../core/operators/previews/trial/trial-stages.js';
import { watchFor } from '../live/watched-stage.js';
import { ArgsMutation, payloadOf, userError, type UserError } from '../common/mutation.js';
import { keyOfNodeId, rowOfNodeId, toNodeId } from '../nodes/node-id.js';
import { DeletePayload, RunPayload } from '../common/payloads.type.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { toJobRun } from '../jobs/job-run.type.js';
import { MAX_URL_LENGTH } from '../limits/limits.js';
import { mediaById } from '../media/media-lookups.js';
import { Media } from '../media/media.type.js';
import {
  DeletePreviewsArgs,
  ForgetMemoryPreviewsArgs,
  RefreshPreviewsArgs,
  TryPreviewArgs,
} from './preview-actions.input.js';
import { toPreviewFilter } from './preview-list.input.js';
import { previewByKey } from './preview-lookups.js';
import { PreviewTrace, TryPreviewPayload, toPreviewTrace } from './preview-trace.type.js';
import { Preview } from './preview.type.js';
import { wholeUrl } from './whole-url.js';

const MAX_IDS = 100;
const MAX_LANGUAGES = 10;
/** RFC 9110 §12.5.4, without room for anything else in a header. */
const LANGUAGES = /^[a-z0-9*;=.,\- ]{1,100}$/i;

/** What operators do with previews. */
@Resolver(() => PreviewTrace)
export class PreviewActionsResolver {
  @Requires('operator')
  @ArgsMutation(TryPreviewArgs, TryPreviewPayload)
  async tryPreview(input: TryPreviewArgs, context: GraphqlContext): Promise<TryPreviewPayload> {
    const { ignoreCaches, store } = input;
    const { services, requestId, signal, audit } = context;
    audit.about({ targetType: 'Preview', summary: `Tried a preview${store ? ' and stored it' : ''}` });
    const wanted = await wantedUrl(input, context);
    if ('error' in wanted) return payloadOf([wanted.error]);
    const { url } = wanted;
    audit.about({ detail: { host: parseUrl(url)?.host ?? null, store, ignoreCaches } });
    const asked = {
      url,
      ts: input.ts ?? null,
      ignoreCaches,
      store,
      acceptLanguage: input.acceptLanguage ?? null,
      actor: viewerOf(context).name,
      requestId,
      signal,
    };
    const watch = watchFor(context, STAGE_TITLES, describeStage);
    const result = await services.previews.trial.try(asked, watch);
    return { ...payloadOf(), trace: toPreviewTrace(result, context) };
  }

  @FieldResolver(() => Media, { nullable: true })
  async image(
    @Root() { imageMediaId }: PreviewTrace,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<Media | null> {
    return imageMediaId === null ? null : loaders.of(mediaById).load(imageMediaId);
  }

  @FieldResolver(() => Preview, { nullable: true })
  async stored(
    @Root() { storedId }: PreviewTrace,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<Preview | null> {
    return storedId === null ? null : loaders.of(previewByKey).load(String(storedId));
  }

  @Requires('operator')
  @ArgsMutation(RefreshPreviewsArgs, RunPayload)
  async refreshPreviews(input: RefreshPreviewsArgs, context: GraphqlContext): Promise<RunPayload> {
    const { services, requestId, audit } = context;
    const { replacement, previewRecords } = services.previews;
    audit.about({ targetType: 'Preview', summary: `Asked for ${counted(input.ids.length, 'preview')} anew` });
    if (input.ids.length > MAX_IDS) {
      return payloadOf([userError('TOO_MANY', `At most ${MAX_IDS} at a time`, 'ids')]);
    }
    const ids = input.ids.map((id) => rowOfNodeId('Preview', id)).filter((id) => id !== null);
    if ((await previewRecords.find(ids)).length === 0) {
      return payloadOf([userError('NOT_FOUND', 'None of these previews is stored any more', 'ids')]);
    }
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
  @ArgsMutation(DeletePreviewsArgs, DeletePayload)
  deletePreviews(input: DeletePreviewsArgs, context: GraphqlContext): Promise<DeletePayload> {
    const { withMedia } = input;
    context.audit.about({ targetType: 'Preview', summary: 'Delete previews' });
    const kind = {
      deletion: context.services.previews.deletePreviews({ withMedia }),
      readFilter: () => toPreviewFilter(input.filter ?? null, context),
      readId: (id: string) => rowOfNodeId('Preview', id),
      writeId: (id: number) => toNodeId('Preview', id),
      action: 'deletePreviews',
      countAction: 'countPreviews',
      noun: 'previews',
    };
    return runDeletion(input, kind, context);
  }

  @Requires('operator')
  @ArgsMutation(ForgetMemoryPreviewsArgs, DeletePayload)
  async forgetMemoryPreviews(
    input: ForgetMemoryPreviewsArgs,
    { services, audit }: GraphqlContext,
  ): Promise<DeletePayload> {
    const ids = input.ids?.map((id) => keyOfNodeId('MemoryPreview', id) ?? '') ?? null;
    const gone = await services.previews.memory.forget({ ids, failedOnly: input.failedOnly });
    audit.about({
      targetType: 'MemoryPreview',
      summary: `Forgot ${counted(gone.length, 'preview')} in memory`,
    });
    const deletedIds = gone.map((id) => toNodeId('MemoryPreview', id));
    return { ...payloadOf(), matched: gone.length, deletedIds, freedBytes: 0, run: null };
  }
}

/** A user name and password as they are shown. */
const HIDDEN_USER = /^[^/?#]*\/\/…@/;

/** What is to be tried: the address as it is stored, where an id says of what. */
async function wantedUrl(
  { url, of, acceptLanguage }: TryPreviewArgs,
  context: GraphqlContext,
): Promise<{ url: string } | { error: UserError }> {
  const id = of ?? null;
  const whole = id === null ? url : await storedUrl(id, context);
  if (typeof whole !== 'string') return { error: whole };
  const error = inputErrorOf({ url: whole, acceptLanguage });
  return error === null ? { url: whole } : { error };
}

async function storedUrl(id: string, context: GraphqlContext): Promise<string | UserError> {
  if (!context.services.privacy.showsPages(viewerOf(context).role))
    return userError('INVALID', 'admin.privacy hides it', 'of');
  return (await wholeUrl(id, context)) ?? userError('NOT_FOUND', 'It is not there any more', 'of');
}

function inputErrorOf({ url, acceptLanguage }: Pick<TryPreviewArgs, 'url' | 'acceptLanguage'>) {
  if (url.trim() === '') return userError('INVALID', 'An address is wanted', 'url');
  if (HIDDEN_USER.test(url))
    return userError('INVALID', 'A part of it is hidden: type it, or try it from where it is listed', 'url');
  if (url.length > MAX_URL_LENGTH) return userError('TOO_LARGE', 'The address is too long', 'url');
  const languages = acceptLanguage ?? [];
  if (languages.length > MAX_LANGUAGES || languages.some((line) => !LANGUAGES.test(line))) {
    return userError('INVALID', 'Wanted: languages such as de-AT or en;q=0.5', 'acceptLanguage');
  }
  return null;
}
