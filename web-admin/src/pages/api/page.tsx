import { PageHeader } from '../../ui/page/page-header.js';

/** API. */
export function Page() {
  return <PageHeader title="API" />;
}
