// npm run schema: writes web-admin/schema.graphql from the resolvers. With --diff it only says what would change.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { register } from 'tsx/esm/api';

import './check-node.mjs';

register();
const { createSchema } = await import('../src/graphql/schema.ts');
const { printAnnotatedSchema } = await import('../src/graphql/print-schema.ts');

const path = fileURLToPath(new URL('../web-admin/schema.graphql', import.meta.url));
const printed = printAnnotatedSchema(createSchema());
if (process.argv.includes('--diff')) process.exitCode = compare(readFileSync(path, 'utf8'), printed) ? 1 : 0;
else writeFileSync(path, printed);

/** Prints `- only in the file`, `+ only in the resolvers`; resolves to whether there was anything to print. */
function compare(before, after) {
  const [old, made] = [linesOf(before), linesOf(after)];
  const gone = [...old].filter((line) => !made.has(line)).map((line) => `- ${line}`);
  const come = [...made].filter((line) => !old.has(line)).map((line) => `+ ${line}`);
  const lines = [...gone, ...come].sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1));
  for (const line of lines) console.log(line);
  console.error(`${gone.length} only in the file, ${come.length} only in the resolvers`);
  return lines.length > 0;
}

/** Every type, field, argument and value of a schema as one line each, descriptions left out. */
function linesOf(text) {
  const { parse, print, visit } = createRequire(import.meta.url)('graphql');
  const document = visit(parse(text), {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
  });
  const lines = new Set();
  for (const type of document.definitions) {
    const name = type.name?.value ?? 'schema';
    const members = [...(type.fields ?? []), ...(type.values ?? [])];
    lines.add(
      `${type.kind} ${name} ${(type.interfaces ?? []).map((each) => each.name.value).join(' ')}`.trim(),
    );
    for (const member of members)
      lines.add(`${name}.${print({ ...member, arguments: sorted(member.arguments) })}`);
    if (members.length === 0) lines.add(print({ ...type, arguments: sorted(type.arguments) }));
  }
  return lines;
}

function sorted(args) {
  return args === undefined ? undefined : [...args].sort((a, b) => (a.name.value < b.name.value ? -1 : 1));
}
