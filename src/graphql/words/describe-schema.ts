import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';

import { ACCESS_WORDS } from './access.js';
import { BLOCKING_WORDS } from './blocking.js';
import { COMMON_WORDS } from './common.js';
import { JOB_WORDS } from './jobs.js';
import { KEY_HISTORY_WORDS } from './key-history.js';
import { KEY_WORDS } from './keys.js';
import { LOG_WORDS } from './log.js';
import { MEDIA_WORDS } from './media.js';
import { OVERVIEW_WORDS } from './overview.js';
import { PREVIEW_WORDS } from './previews.js';
import { SHARED_WORDS } from './shared.js';

/** Words by path: `Type`, `Type.field`, `Type.field.argument`, `Enum.VALUE`. */
export const WORDS: ReadonlyMap<string, string> = new Map(
  [
    COMMON_WORDS,
    ACCESS_WORDS,
    BLOCKING_WORDS,
    JOB_WORDS,
    KEY_WORDS,
    KEY_HISTORY_WORDS,
    LOG_WORDS,
    MEDIA_WORDS,
    OVERVIEW_WORDS,
    PREVIEW_WORDS,
  ].flatMap((words) => Object.entries(words)),
);

/** A part of a schema that may have words. */
export interface Describable {
  path: string;
  part: { description?: string | null | undefined };
}

/** Every type, field, argument and value of a schema that is ours. */
export function describables(schema: GraphQLSchema): Describable[] {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return types.flatMap((type) => [{ path: type.name, part: type }, ...membersOf(type)]);
}

/** Gives words to what has none where it is defined. */
export function describeSchema(schema: GraphQLSchema): void {
  for (const { path, part } of describables(schema)) {
    part.description ??= WORDS.get(path) ?? SHARED_WORDS.find(([pattern]) => pattern.test(path))?.[1];
  }
}

function membersOf(type: GraphQLNamedType): Describable[] {
  if (isEnumType(type)) return type.getValues().map((part) => ({ path: `${type.name}.${part.name}`, part }));
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((part) => ({ path: `${type.name}.${part.name}`, part }));
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((part) => {
    const path = `${type.name}.${part.name}`;
    return [{ path, part }, ...part.args.map((arg) => ({ path: `${path}.${arg.name}`, part: arg }))];
  });
}
