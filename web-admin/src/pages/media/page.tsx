import { PageHeader } from '../../ui/page/page-header.js';

/** Media. */
export function Page() {
  return <PageHeader title="Media" />;
}
