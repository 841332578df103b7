import { PageHeader } from '../../ui/page/page-header.js';

/** Job. */
export function Page() {
  return <PageHeader title="Job" />;
}
