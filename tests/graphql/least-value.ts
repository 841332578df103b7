import { isEnumType, isInputObjectType, isListType, isNonNullType, type GraphQLInputType } from 'graphql';

/** The least a variable of this type can be: what is optional is left out, texts are `x`. */
export function leastValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return leastValue(type.ofType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) && field.defaultValue === undefined,
    );
    return Object.fromEntries(needed.map((field) => [field.name, leastValue(field.type)]));
  }
  if (type.name === 'Boolean') return true;
  if (type.name === 'DateTime') return '2027-01-15T00:00:00Z';
  return ['Int', 'SafeInt', 'Float'].includes(type.name) ? 1 : 'x';
}
