import { PageHeader } from '../../ui/page/page-header.js';

/** Job run. */
export function Page() {
  return <PageHeader title="Job run" />;
}
