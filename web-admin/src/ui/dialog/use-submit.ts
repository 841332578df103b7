import { useState } from 'react';

import { toRequestError } from '../../api/request-error.js';
import type { UserErrorLine } from './user-errors.js';

interface Submit {
  isBusy: boolean;
  errors: readonly UserErrorLine[];
  /** For the form. */
  onSubmit: (event: { preventDefault: () => void }) => void;
}

/** Runs what a form is for: `run` resolves to what was wrong, which is shown; when nothing was, it closes the form. */
export function useSubmit(run: () => Promise<readonly UserErrorLine[]>): Submit {
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly UserErrorLine[]>([]);
  const submit = async () => {
    setBusy(true);
    const found = await run().catch((error: unknown) => [toRequestError(error)]);
    setBusy(false);
    if (found.length > 0) setErrors(found);
  };
  const onSubmit: Submit['onSubmit'] = (event) => {
    event.preventDefault();
    void submit();
  };
  return { isBusy, errors, onSubmit };
}
