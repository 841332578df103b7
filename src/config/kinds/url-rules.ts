import { z } from 'zod';
import { compileUrlPattern, URL_COMPONENTS } from '../../core/preview/rules/url-pattern.js';
import { kindOf, objectTo } from './value-kinds.js';

const PATTERN_FORM = 'a shell pattern, or a regular expression that begins with ^ (RE2 syntax)';

const pattern = z.union([z.string(), z.int()], { error: PATTERN_FORM }).transform((written, context) => {
  const source = String(written);
  if (source.length > 2000)
    return objectTo(context, PATTERN_FORM, { problem: 'is longer than 2000 characters' });
  try {
    compileUrlPattern(source);
    return source;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
    return objectTo(context, PATTERN_FORM, { problem: `is not a usable pattern (${reason})` });
  }
});

const RULE_FORM = `a map from ${URL_COMPONENTS.join(', ')} to patterns`;

const rule = z
  .strictObject(
    {
      scheme: pattern.optional(),
      netloc: pattern.optional(),
      hostname: pattern.optional(),
      port: pattern.optional(),
      path: pattern.optional(),
      query: pattern.optional(),
      fragment: pattern.optional(),
      username: pattern.optional(),
      password: pattern.optional(),
    },
    { error: RULE_FORM },
  )
  .superRefine((value, context) => {
    if (context.issues.length > 0 || Object.keys(value).length > 0) return;
    objectTo(context, RULE_FORM, { problem: 'names no component and would match every address' });
  });

/** URL rules, SPEC §2.4: every named component of one entry must match; entries are alternatives. */
export const urlRules = () =>
  kindOf(z.array(rule, { error: `a list, each entry ${RULE_FORM}` }), `a list, each entry ${RULE_FORM}`);
