import { registerEnumType } from 'type-graphql';

import { wordsEnum } from '../common/enums.js';
import type { MediaSortField as CoreSortField } from '../../core/operators/media/media-filter.js';

export const FileState = wordsEnum(
  'FileState',
  ['present', 'missing', 'removed'],
  'REMOVED: the cleanup removed the file of an expired page; its row goes a little later',
);

export const MediaSortField = {
  CREATED_AT: 'created',
  BYTES: 'bytes',
  DELETES_AT: 'deletes',
} as const satisfies Record<string, CoreSortField>;
export type MediaSortField = CoreSortField;
registerEnumType(MediaSortField, { name: 'MediaSortField' });
