import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';

import { hasRole } from '../../core/access/operators/viewer.js';
import type { GraphqlContext } from '../context.js';
import { fieldsOf, requiredRole } from '../guard-fields.js';
import { sessionById } from './access.loaders.js';
import { AdminSession } from './session.type.js';
import { CommandLine, Viewer } from './viewer.type.js';

/** Who is signed in. */
@Resolver(() => Viewer)
export class ViewerResolver {
  @Query(() => Viewer, {
    nullable: true,
    description: 'Null when not signed in; the only field that works without a session',
  })
  viewer(@Ctx() { viewer }: GraphqlContext): Viewer | null {
    if (viewer === null) return null;
    const { name, role, method, sessionId } = viewer;
    return { name, role, method, sessionId };
  }

  @FieldResolver(() => AdminSession, { nullable: true })
  async session(
    @Root() { sessionId }: Viewer,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<AdminSession | null> {
    return sessionId === null ? null : loaders.of(sessionById).load(sessionId);
  }

  @FieldResolver(() => CommandLine, { description: 'As the running process was started' })
  commandLine(@Ctx() { services }: GraphqlContext): CommandLine {
    return services.commandLine;
  }

  @FieldResolver(() => Boolean)
  sendsText(@Ctx() { sendsText }: GraphqlContext): boolean {
    return sendsText;
  }

  @FieldResolver(() => [String], {
    description: 'Role-filtered names of mutations this viewer may run, so the UI hides what will be refused',
  })
  can(@Root() { role }: Viewer, @Info() { schema }: GraphQLResolveInfo): string[] {
    const mutations = schema.getMutationType();
    if (mutations === null || mutations === undefined) return [];
    return fieldsOf(mutations)
      .filter((field) => hasRole(role, requiredRole(field) ?? 'viewer'))
      .map(({ name }) => name);
  }
}
