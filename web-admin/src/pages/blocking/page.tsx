import { PageHeader } from '../../ui/page/page-header.js';

/** Blocking. */
export function Page() {
  return <PageHeader title="Blocking" />;
}
