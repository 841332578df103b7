import { PageHeader } from '../../ui/page/page-header.js';

/** Settings. */
export function Page() {
  return <PageHeader title="Settings" />;
}
