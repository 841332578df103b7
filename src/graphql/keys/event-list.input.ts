import { ArgsType, InputType } from 'type-graphql';

import type { EventFilter } from '../../core/operators/keys/event-feed.js';
import { inputFields, nullable } from '../common/fields.js';
import { pageArgs } from '../common/page-args.js';
import { KeyEventKind } from './keys.enums.js';
import { textOf } from '../../core/base/text/text-of.js';

@InputType()
export class KeyEventFilter extends inputFields({
  search: nullable(String),
  server: nullable(String),
  kinds: nullable([KeyEventKind]),
  acknowledged: nullable(Boolean),
  after: nullable(Date),
  before: nullable(Date),
}) {}

@ArgsType()
export class KeyEventListArgs extends pageArgs({
  filter: nullable(KeyEventFilter),
}) {}

/** The events that arguments ask for. No kinds at all mean all of them. */
export function toEventFilter(filter: KeyEventFilter | null): EventFilter {
  const kinds = [...new Set(filter?.kinds ?? [])];
  return {
    search: textOf(filter?.search),
    server: textOf(filter?.server),
    kinds: kinds.length === 0 ? null : kinds,
    isAcknowledged: filter?.acknowledged ?? null,
    fromTs: filter?.after?.getTime() ?? null,
    toTs: filter?.before?.getTime() ?? null,
  };
}
