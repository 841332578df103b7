/**
 * The PostgreSQL form of the model file: another provider, another output folder, the same models.
 * Throws when the text does not look as expected, so that a silent mix-up is impossible.
 */
export function toPostgresqlSchema(source) {
  return replaceOnce(
    replaceOnce(source, 'provider = "sqlite"', 'provider = "postgresql"'),
    '"../src/core/store/generated/sqlite"',
    '"../../src/core/store/generated/postgresql"',
  );
}

function replaceOnce(text, from, to) {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`prisma/schema.prisma must contain exactly once: ${from}`);
  return parts.join(to);
}
