import { PageHeader } from '../../ui/page/page-header.js';

/** Previews. */
export function Page() {
  return <PageHeader title="Previews" />;
}
