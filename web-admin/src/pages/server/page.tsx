import { PageHeader } from '../../ui/page/page-header.js';

/** Server. */
export function Page() {
  return <PageHeader title="Server" />;
}
