import { PageHeader } from '../../ui/page/page-header.js';

/** Overview. */
export function Page() {
  return <PageHeader title="Overview" />;
}
