import { registerEnumType } from 'type-graphql';

import type { MemoryState as CoreMemoryState } from '../../core/operators/previews/memory-list.js';
import type { PreviewSortField as CoreSortField } from '../../core/operators/previews/preview-filter.js';
import type { PreviewSource as CoreSource } from '../../core/preview/pipeline/preview-job.js';

/** Names on the wire → values inside. */
export const PreviewState = { FRESH: 'fresh', EXPIRED: 'expired' } as const;
export type PreviewState = 'fresh' | 'expired';
registerEnumType(PreviewState, { name: 'PreviewState' });

export const MemoryState = {
  RUNNING: 'running',
  READY: 'ready',
  FAILED: 'failed',
} as const satisfies Record<string, CoreMemoryState>;
export type MemoryState = CoreMemoryState;
registerEnumType(MemoryState, { name: 'MemoryState' });

export const PreviewSource = {
  HTML: 'html',
  IMAGE: 'image',
  OEMBED_URL: 'oembed_url',
  OEMBED_DISCOVERED: 'oembed_discovered',
  OTHER: 'other',
} as const satisfies Record<string, CoreSource>;
export type PreviewSource = CoreSource;
registerEnumType(PreviewSource, { name: 'PreviewSource' });

export const PreviewSortField = {
  CREATED_AT: 'created',
  EXPIRES_AT: 'expires',
  URL: 'url',
  RESPONSE_CODE: 'responseCode',
} as const satisfies Record<string, CoreSortField>;
export type PreviewSortField = CoreSortField;
registerEnumType(PreviewSortField, { name: 'PreviewSortField' });
