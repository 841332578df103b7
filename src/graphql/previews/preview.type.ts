import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { PreviewRecord } from '../../core/operators/previews/preview-records.js';
import type { PreviewProperty } from '../../core/operators/previews/property-origins.js';
import { lookupBy } from '../common/batch-loader.js';
import { connectionOf } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { shownUrl, shownValue } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { nodeFields, toNodeId } from '../common/ids.js';

export const PreviewState = wordsEnum('PreviewState', 'Validity of a stored preview', {
  fresh: 'Served to clients',
  expired: 'Generated again at the next request',
});

@ObjectType({ description: 'One value of a preview' })
export class OgProperty extends objectFields({
  key: field(String, 'Name, such as og:title'),
  value: nullable(GraphQLJSON, 'Value: a string or a number'),
  origin: nullable(String, 'Source of the value: page, oembed, or made (from the stored image)'),
}) {}

@ObjectType({ description: 'A stored preview of a URL' })
export class Preview extends nodeFields({
  url: field(String, 'URL, without query string for roles that may not see it'),
  host: field(String, 'Host name'),
  responseCode: field(Int, 'Status of the page'),
  etag: nullable(String, 'ETag of the page; null without one'),
  createdAt: field(Date, 'When it was stored'),
  expiresAt: field(Date, 'When it expires'),
  state: field(PreviewState, 'Whether it is served'),
  title: nullable(String, 'Title of the page; null without one'),
}) {
  rowId!: number;
  mediaId!: string;
  imageMediaId!: string | null;
}

export const PreviewConnection = connectionOf('Preview', () => Preview);

/** A stored preview as the API shows it. */
export function toPreview(record: PreviewRecord, context: GraphqlContext): Preview {
  const { id, url, title, expiresTs } = record;
  return {
    ...withDates(record),
    id: toNodeId('Preview', id),
    rowId: id,
    url: shownUrl(url, context),
    title: title === null ? null : String(shownValue(title, context)),
    state: expiresTs > context.services.clock.now() ? 'fresh' : 'expired',
  };
}

export const previewById = lookupBy(
  (ids: readonly number[], { services }: GraphqlContext) => services.previews.previewRecords.find(ids),
  ({ id }) => id,
  toPreview,
);

/** Values of a preview as the API shows them. */
export function toProperties(properties: readonly PreviewProperty[], context: GraphqlContext): OgProperty[] {
  return properties.map(({ value, ...rest }) => ({ ...rest, value: shownValue(value, context) }));
}

@ObjectType({ description: 'Preview requests that were refused for the same reason, on this instance' })
export class PreviewRefusal extends objectFields({
  status: field(Int, '401 or 403: not allowed; 503: could not be checked'),
  errcode: field(String, 'Error code for clients'),
  message: field(String, 'Error message for clients'),
  times: field(GraphQLSafeInt, 'Number of requests'),
  firstAt: field(Date, 'Time of the first request'),
  lastAt: field(Date, 'Time of the latest request'),
  requestId: field(String, 'ID of the latest request'),
}) {}
