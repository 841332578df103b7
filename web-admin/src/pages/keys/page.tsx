import { PageHeader } from '../../ui/page/page-header.js';

/** Keys. */
export function Page() {
  return <PageHeader title="Keys" />;
}
