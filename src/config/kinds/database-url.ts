import { z } from 'zod';
import { kindOf, objectTo } from './value-kinds.js';

const FORM = 'postgresql://USER@HOST:PORT/DATABASE';

/** A PostgreSQL connection address. */
export const databaseUrl = () =>
  kindOf(
    z.string({ error: FORM }).superRefine((value, context) => {
      const isPostgres = /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
      if (!isPostgres) objectTo(context, FORM, { problem: 'is no PostgreSQL address' });
    }),
    FORM,
  );
