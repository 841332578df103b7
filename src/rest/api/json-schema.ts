/** A schema of JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** An object with these members, all of which have to be there but the `optional` ones; others may be. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const names = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required: names };
}

/** An object whose members have names of their own and all have this form. */
export function mapSchema(values: JsonSchema, description: string): JsonSchema {
  return { type: 'object', description, additionalProperties: values };
}

/** One that stands under `components/schemas`. */
export function schemaNamed(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
