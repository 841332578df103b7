import { ID, ArgsType, ObjectType, Resolver } from 'type-graphql';

import { field, nullable } from '../common/fields.js';
import { ArgsMutation, mutationArgs, payloadFields, payloadOf, userError } from '../common/mutation.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { nodeTypeOf } from '../nodes/node-id.js';
import { wholeUrl } from './whole-url.js';

@ArgsType()
export class RevealUrlArgs extends mutationArgs({
  id: field(ID, { description: 'Of a stored preview, a refusal or a media' }),
}) {}

@ObjectType()
class RevealUrlPayload extends payloadFields({
  url: nullable(String, { description: 'The whole address, user name and password too' }),
}) {}

/** What addresses show to nobody by default. */
@Resolver()
export class RevealUrlResolver {
  @Requires('operator')
  @ArgsMutation(RevealUrlArgs, RevealUrlPayload, 'The whole address of something; who asked stands in audit')
  async revealUrl(input: RevealUrlArgs, context: GraphqlContext): Promise<RevealUrlPayload> {
    const { audit, services } = context;
    const targetType = nodeTypeOf(input.id);
    audit.about({ targetType: targetType ?? undefined, targetId: input.id.slice(0, 100) });
    audit.about({ summary: 'Looked at a whole address' });
    if (!services.privacy.showsPages(viewerOf(context).role))
      return payloadOf([userError('INVALID', 'admin.privacy hides it')]);
    const url = await wholeUrl(input.id, context);
    return url === null
      ? payloadOf([userError('NOT_FOUND', 'It is not there any more', 'id')])
      : { ...payloadOf(), url };
  }
}
