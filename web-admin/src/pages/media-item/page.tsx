import { PageHeader } from '../../ui/page/page-header.js';

/** Media item. */
export function Page() {
  return <PageHeader title="Media item" />;
}
