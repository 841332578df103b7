import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { MemoryPreview } from './memory-preview.type.js';
import { previewOfUrl } from './preview-lookups.js';
import { Preview } from './preview.type.js';

/** What is stored of an address that is remembered. */
@Resolver(() => MemoryPreview)
export class MemoryPreviewResolver {
  @FieldResolver(() => Preview, { nullable: true })
  stored(@Root() { fullUrl }: MemoryPreview, @Ctx() { loaders }: GraphqlContext): Promise<Preview | null> {
    return loaders.of(previewOfUrl).load(fullUrl);
  }
}
