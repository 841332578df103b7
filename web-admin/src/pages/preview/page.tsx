import { PageHeader } from '../../ui/page/page-header.js';

/** Preview. */
export function Page() {
  return <PageHeader title="Preview" />;
}
