import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, FieldResolver, Info, ObjectType, Query, Resolver, Root } from 'type-graphql';

import { hasRole } from '../../core/access/operators/viewer.js';
import { Role, SignInMethod } from '../common/enums.js';
import { field, objectFields } from '../common/fields.js';
import type { GraphqlContext } from '../context.js';
import { fieldsOf, requiredRole } from '../guard-fields.js';
import { Detail } from '../common/operations.js';

@ObjectType({ description: 'Who makes this request' })
class Viewer extends objectFields({
  name: field(String, 'User ID, name of a token, or name of a sign-in code'),
  role: field(Role, 'Role'),
  method: field(SignInMethod, 'How they authenticated'),
}) {}

@Resolver(() => Viewer)
export class ViewerResolver {
  @Query(() => Viewer, {
    nullable: true,
    description: 'Who makes this request; null without a session. The only field that needs no session',
  })
  viewer(@Ctx() { viewer }: GraphqlContext): Viewer | null {
    if (viewer === null) return null;
    const { name, role, method } = viewer;
    return { name, role, method };
  }

  @Detail(String, 'How commands for this server are typed on its machine')
  program(_: Viewer, { services }: GraphqlContext): string {
    return services.program;
  }

  @FieldResolver(() => [String], { description: 'Names of the mutations that the role allows' })
  can(@Root() { role }: Viewer, @Info() { schema }: GraphQLResolveInfo): string[] {
    const mutations = schema.getMutationType();
    if (mutations === null || mutations === undefined) return [];
    return fieldsOf(mutations)
      .filter((mutation) => hasRole(role, requiredRole(mutation) ?? 'viewer'))
      .map(({ name }) => name);
  }
}
