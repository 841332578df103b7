import 'reflect-metadata';

import type { GraphQLSchema } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';

import { AccessMutations } from './access/access-mutations.resolver.js';
import { AccessResolver } from './access/access.resolver.js';
import { ViewerResolver } from './access/viewer.resolver.js';
import { BlockingResolver } from './blocking/blocking.resolver.js';
import { BlockRuleMutations } from './blocking/block-rule-mutations.resolver.js';
import { NodeResolver } from './nodes/node.resolver.js';
import { JobMutations } from './jobs/job-mutations.resolver.js';
import { JobResolver, JobRunResolver } from './jobs/job.resolver.js';
import { documented } from './documented.js';
import { guardFields } from './guard-fields.js';
import { KeyActionsResolver } from './key-actions/key-actions.resolver.js';
import { KeyHistoryResolver } from './key-history/key-history.resolver.js';
import { KeyFailuresResolver } from './keys/key-failures.resolver.js';
import { KeyEventResolver, KeyFetchResolver } from './keys/key-history.resolver.js';
import { KeyRecordResolver } from './keys/key-record.resolver.js';
import { RemoteServerResolver } from './keys/remote-server.resolver.js';
import { KeyRotationResolver } from './own-keys/key-rotation.resolver.js';
import { SigningKeyResolver } from './own-keys/signing-key.resolver.js';
import { LogResolver } from './log/log.resolver.js';
import { MediaActionsResolver } from './media/media-actions.resolver.js';
import { MediaResolver } from './media/media.resolver.js';
import { WebhookResolver } from './alarms/webhook.resolver.js';
import { OverviewResolver } from './overview/overview.resolver.js';
import { PreviewActionsResolver } from './previews/preview-actions.resolver.js';
import { MemoryPreviewResolver } from './previews/memory-preview.resolver.js';
import { PreviewResolver } from './previews/preview.resolver.js';
import { RevealUrlResolver } from './previews/reveal-url.resolver.js';
import { SettingsResolver } from './settings/settings.resolver.js';
import { describeSchema } from './words/describe-schema.js';

/** Every area's resolvers, one line each. */
const RESOLVERS: NonEmptyArray<new () => object> = [
  NodeResolver,
  ViewerResolver,
  AccessResolver,
  AccessMutations,
  OverviewResolver,
  WebhookResolver,
  RemoteServerResolver,
  KeyRecordResolver,
  KeyEventResolver,
  KeyFailuresResolver,
  KeyFetchResolver,
  KeyHistoryResolver,
  SigningKeyResolver,
  KeyRotationResolver,
  KeyActionsResolver,
  LogResolver,
  JobResolver,
  JobRunResolver,
  JobMutations,
  PreviewResolver,
  MemoryPreviewResolver,
  PreviewActionsResolver,
  RevealUrlResolver,
  MediaResolver,
  MediaActionsResolver,
  BlockingResolver,
  BlockRuleMutations,
  SettingsResolver,
];

/** The schema of the operators' side. Every root field is guarded and every mutation audited. */
export function createSchema(): GraphQLSchema {
  const built = buildSchemaSync({
    resolvers: RESOLVERS,
    scalarsMap: [{ type: Date, scalar: GraphQLDateTime }],
    validate: false,
  });
  describeSchema(built);
  const schema = documented(built);
  guardFields(schema);
  return schema;
}
