import { JsonFloat, type JsonValue } from '../../core/base/json/json-value.js';

/** Indented JSON in which integers keep every digit. Nesting must be bounded, as it is in parsed records. */
export function jsonText(value: JsonValue, indent = ''): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof JsonFloat) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const [open, close, members] = Array.isArray(value)
    ? ['[', ']', value.map((item) => jsonText(item, deeper))]
    : [
        '{',
        '}',
        Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item, deeper)}`),
      ];
  if (members.length === 0) return open + close;
  return `${open}\n${members.map((member) => deeper + member).join(',\n')}\n${indent}${close}`;
}
