import { registerEnumType } from 'type-graphql';

import { wordsEnum } from '../common/enums.js';
import type { PreviewSortField as CoreSortField } from '../../core/operators/previews/preview-filter.js';

export const PreviewState = wordsEnum('PreviewState', ['fresh', 'expired']);

export const MemoryState = wordsEnum('MemoryState', ['running', 'ready', 'failed']);

export const PreviewSource = wordsEnum('PreviewSource', [
  'html',
  'image',
  'oembed_url',
  'oembed_discovered',
  'other',
]);

export const PreviewSortField = {
  CREATED_AT: 'created',
  EXPIRES_AT: 'expires',
  URL: 'url',
  RESPONSE_CODE: 'responseCode',
} as const satisfies Record<string, CoreSortField>;
export type PreviewSortField = CoreSortField;
registerEnumType(PreviewSortField, { name: 'PreviewSortField' });
