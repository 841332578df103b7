import { Ctx, Mutation, ObjectType, Resolver } from 'type-graphql';

import { payloadFields, payloadOf, userError } from '../common/mutation.js';
import { field, nullable } from '../common/fields.js';
import { Requires } from '../common/requires.js';
import type { GraphqlContext } from '../context.js';

@ObjectType()
class TestWebhookPayload extends payloadFields({
  delivered: field(Boolean, { description: 'Whether the webhook answered with a 2xx status' }),
  message: nullable(String, { description: 'How it answered, in one sentence' }),
}) {}

/** The webhook that alarms are sent to. */
@Resolver()
export class WebhookResolver {
  @Requires('operator')
  @Mutation(() => TestWebhookPayload, { description: 'Sends a test to the webhook and waits for its answer' })
  async testWebhook(@Ctx() { services, audit }: GraphqlContext): Promise<TestWebhookPayload> {
    audit.about({ targetType: 'Webhook', targetId: 'alerts.webhook', summary: 'Tested the webhook' });
    const attempt = await services.testWebhook();
    if (attempt === null) {
      const missing = userError('NOT_FOUND', 'No webhook is configured. Set alerts.webhook.url.');
      return { ...payloadOf([missing]), delivered: false };
    }
    audit.about({ detail: { delivered: attempt.isDelivered, message: attempt.message } });
    return { ...payloadOf(), delivered: attempt.isDelivered, message: attempt.message };
  }
}
