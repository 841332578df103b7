import { z } from 'zod';
import { ABOUT, type Kind } from '../kinds/setting.js';
import { DURATION_PATTERN, SIZE_PATTERN } from '../kinds/units.js';
import { CONFIG_SCHEMA } from '../schema.js';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The JSON Schema (2020-12) of a configuration file, for editors: names, forms, defaults and meanings. It lets pass
 * what only the program can tell, such as two settings that contradict each other.
 */
export function configJsonSchema(): JsonSchema {
  const { required: _, ...schema } = z.toJSONSchema(CONFIG_SCHEMA, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => describe(zodSchema, jsonSchema),
  });
  // Variables may give what the file leaves out.
  return { ...schema, title: 'Configuration of Vidimus' };
}

function describe(zodSchema: z.core.$ZodTypes, jsonSchema: JsonSchema): void {
  const about = zodSchema instanceof z.ZodType ? ABOUT.get(zodSchema) : undefined;
  if (about === undefined) return;
  if (about.type === 'group') {
    // All its members may be commented out.
    Object.assign(jsonSchema, { description: `${about.doc}.`, type: ['object', 'null'] });
    return;
  }
  const { doc, kind, live } = about;
  jsonSchema.description = `${doc}.\n${kind.form}${live ? '; live' : ''}`;
  if (kind.unit !== null && jsonSchema.anyOf !== undefined) writeQuantity(jsonSchema, kind.unit);
}

function writeQuantity(jsonSchema: JsonSchema, unit: NonNullable<Kind['unit']>): void {
  const pattern = unit === 'duration' ? DURATION_PATTERN : SIZE_PATTERN;
  jsonSchema.anyOf = [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: pattern.source },
  ];
}
