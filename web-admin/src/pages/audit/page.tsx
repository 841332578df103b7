import { PageHeader } from '../../ui/page/page-header.js';

/** Audit. */
export function Page() {
  return <PageHeader title="Audit" />;
}
