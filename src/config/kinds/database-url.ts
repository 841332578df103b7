import { z } from 'zod';
import { tlsProblemOf } from '../../core/base/text/tls-mode.js';
import { kindOf, objectTo } from './value-kinds.js';

const TLS_FORM = 'sslmode=disable, require, verify-ca, verify-full or no-verify';
const FORM = 'postgresql://USER@HOST:PORT/DATABASE';

/** A PostgreSQL connection address. */
export const databaseUrl = () =>
  kindOf(
    z.string({ error: FORM }).superRefine((value, context) => {
      const isPostgres = /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
      const problem = isPostgres ? tlsProblemOf(new URL(value)) : 'is no PostgreSQL address';
      if (problem !== null) objectTo(context, isPostgres ? TLS_FORM : FORM, { problem });
    }),
    FORM,
  );
