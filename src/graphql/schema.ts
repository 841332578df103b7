import 'reflect-metadata';

import type { GraphQLSchema } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';

import { AccessResolver, ViewerResolver } from './access/access.js';
import { BlockHitResolver } from './blocking/block-hit.js';
import { BlockRuleResolver } from './blocking/block-rules.js';
import { describeSchema } from './documented.js';
import { guardFields } from './guard-fields.js';
import { JobResolver, JobRunResolver } from './jobs/jobs.js';
import { KeyActionsResolver } from './keys/key-actions.resolver.js';
import { KeyEventResolver } from './keys/key-event.js';
import { KeyFetchResolver } from './keys/key-fetch.js';
import { KeyRecordResolver } from './keys/key-record.js';
import { ServerResolver } from './keys/server.resolver.js';
import { LogResolver } from './log/log.js';
import { MediaResolver } from './media/media.resolver.js';
import { OverviewResolver } from './overview/overview.js';
import { OwnKeysResolver } from './own-keys/own-keys.js';
import { PreviewTrialResolver } from './previews/preview-trial.js';
import { PreviewResolver } from './previews/previews.js';
import { SettingsResolver } from './settings/settings.js';

/** Every area's resolvers, one line each. */
const RESOLVERS: NonEmptyArray<new () => object> = [
  ViewerResolver,
  AccessResolver,
  OverviewResolver,
  ServerResolver,
  KeyRecordResolver,
  KeyEventResolver,
  KeyFetchResolver,
  KeyActionsResolver,
  OwnKeysResolver,
  LogResolver,
  JobResolver,
  JobRunResolver,
  PreviewResolver,
  PreviewTrialResolver,
  MediaResolver,
  BlockRuleResolver,
  BlockHitResolver,
  SettingsResolver,
];

/** The schema of the operators' side. Every root field is guarded and every mutation audited. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: RESOLVERS,
    scalarsMap: [{ type: Date, scalar: GraphQLDateTime }],
    validate: false,
  });
  describeSchema(schema);
  guardFields(schema);
  return schema;
}
