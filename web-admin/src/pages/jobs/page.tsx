import { PageHeader } from '../../ui/page/page-header.js';

/** Jobs. */
export function Page() {
  return <PageHeader title="Jobs" />;
}
