import { PageHeader } from '../../ui/page/page-header.js';

/** Our signing keys. */
export function Page() {
  return <PageHeader title="Our signing keys" />;
}
