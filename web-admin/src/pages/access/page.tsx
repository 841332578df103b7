import { PageHeader } from '../../ui/page/page-header.js';

/** Access. */
export function Page() {
  return <PageHeader title="Access" />;
}
