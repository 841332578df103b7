import { PageHeader } from '../../ui/page/page-header.js';

/** Try a preview. */
export function Page() {
  return <PageHeader title="Try a preview" />;
}
