import { registerEnumType } from 'type-graphql';

import { wordsEnum } from '../common/enums.js';
import type { MemoryState as CoreMemoryState } from '../../core/operators/previews/memory-list.js';
import type { PreviewSortField as CoreSortField } from '../../core/operators/previews/preview-filter.js';
import type { PreviewSource as CoreSource } from '../../core/preview/pipeline/preview-job.js';

/** Names on the wire → values inside. */
export const PreviewState = wordsEnum('PreviewState', ['fresh', 'expired']);
export type PreviewState = (typeof PreviewState)[keyof typeof PreviewState];

export const MemoryState = wordsEnum('MemoryState', ['running', 'ready', 'failed']);
export type MemoryState = CoreMemoryState;

export const PreviewSource = wordsEnum('PreviewSource', [
  'html',
  'image',
  'oembed_url',
  'oembed_discovered',
  'other',
]);
export type PreviewSource = CoreSource;

export const PreviewSortField = {
  CREATED_AT: 'created',
  EXPIRES_AT: 'expires',
  URL: 'url',
  RESPONSE_CODE: 'responseCode',
} as const satisfies Record<string, CoreSortField>;
export type PreviewSortField = CoreSortField;
registerEnumType(PreviewSortField, { name: 'PreviewSortField' });
