// TypeScript types of GraphQL operations: enumerations and inputs of the schema, and of each operation and fragment what
// it selects.
import {
  Kind,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  typeFromAST,
} from 'graphql';

const SCALARS = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Int: 'number',
  Float: 'number',
  SafeInt: 'number',
  Boolean: 'boolean',
  JSON: 'unknown',
};

/** The text of a module with all of them. */
export function typesOf(schema, operations, fragments) {
  const own = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const enums = own.filter(isEnumType).map((type) => {
    const values = type.getValues().map(({ name, description }) => `${commentOf(description)}| '${name}'`);
    return `${commentOf(type.description)}export type ${type.name} =\n${values.join('\n')};`;
  });
  const inputs = own
    .filter(isInputObjectType)
    .map((type) => `${commentOf(type.description)}export type ${type.name} = ${membersOf(type)};`);
  const selected = (node, type) => objectOf(schema, type, [node.selectionSet], fragments);
  const ofFragments = [...fragments.values()].map(
    (node) =>
      `export type ${node.name.value}Fragment = ${selected(node, schema.getType(node.typeCondition.name.value))};`,
  );
  const ofOperations = operations.map((node) => {
    const kind = node.operation[0].toUpperCase() + node.operation.slice(1);
    const name = node.name.value + kind;
    const variables = variablesOf(schema, node.variableDefinitions ?? []);
    const result = selected(node, schema.getRootType(node.operation));
    return `export type ${name}Variables = ${variables};\nexport type ${name} = ${result};`;
  });
  return `${[...enums, ...inputs, ...ofFragments, ...ofOperations].join('\n\n')}\n`;
}

function commentOf(description) {
  return description ? `/** ${description.replaceAll('*/', '* /')} */\n` : '';
}

function membersOf(input) {
  const members = Object.values(input.getFields()).map(
    ({ name, type, description, defaultValue }) =>
      `${commentOf(description)}${inputMember(name, type, defaultValue !== undefined)};\n`,
  );
  return `{\n${members.join('')}}`;
}

function variablesOf(schema, definitions) {
  const members = definitions.map(({ variable, type, defaultValue }) =>
    inputMember(variable.name.value, typeFromAST(schema, type), defaultValue !== undefined),
  );
  return members.length === 0 ? '{ [name: string]: never }' : `{ ${members.join('; ')} }`;
}

function inputMember(name, type, hasDefault) {
  const isOptional = hasDefault || !isNonNullType(type);
  return `${name}${isOptional ? '?' : ''}: ${inputType(type)}${isOptional ? ' | undefined' : ''}`;
}

function inputType(type) {
  if (isNonNullType(type)) return requiredInput(type.ofType);
  return `${requiredInput(type)} | null`;
}

function requiredInput(type) {
  if (isListType(type)) return `readonly (${inputType(type.ofType)})[]`;
  return SCALARS[type.name] ?? type.name;
}

/** What sets of selections give of a type: of an abstract one, that of each type it may be. */
function objectOf(schema, type, sets, fragments) {
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  const texts = possible.map((each) => {
    const fields = new Map();
    for (const set of sets) collect(schema, each, set, { fragments, fields });
    const members = [...fields].map(([name, { field, sets: inner, isOptional }]) => {
      const value = field === null ? `'${each.name}'` : outputType(schema, field.type, inner, fragments);
      return `${name}${isOptional ? '?' : ''}: ${value}`;
    });
    return `{ ${members.join('; ')} }`;
  });
  return [...new Set(texts)].join(' | ');
}

function collect(schema, type, { selections }, into) {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) {
      const name = (node.alias ?? node.name).value;
      const field = node.name.value === '__typename' ? null : type.getFields()[node.name.value];
      if (field === undefined) throw new Error(`${type.name} has no field ${node.name.value}`);
      // With `@include` or `@skip` it may be absent.
      const isOptional = node.directives.length > 0;
      const known = into.fields.get(name) ?? { field, sets: [], isOptional };
      if (node.selectionSet) known.sets.push(node.selectionSet);
      into.fields.set(name, known);
      continue;
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? into.fragments.get(node.name.value) : node;
    const condition = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
    const isMet =
      !condition || condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
    if (isMet) collect(schema, type, fragment.selectionSet, into);
  }
}

function outputType(schema, type, sets, fragments) {
  if (!isNonNullType(type)) return `${requiredType(schema, type, sets, fragments)} | null`;
  return requiredType(schema, type.ofType, sets, fragments);
}

function requiredType(schema, type, sets, fragments) {
  if (isListType(type)) return `Array<${outputType(schema, type.ofType, sets, fragments)}>`;
  if (isLeafType(type)) return SCALARS[type.name] ?? type.name;
  const text = objectOf(schema, type, sets, fragments);
  return text.includes('} | {') ? `(${text})` : text;
}
