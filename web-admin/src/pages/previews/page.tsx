import { PageHeader } from '../../ui/page.js';
import { TabPages } from '../../ui/tab-pages.js';
import { MediaTab } from '../media/media-tab.js';
import { RefusedTab } from './refused-tab.js';
import { StoredTab } from './stored-tab.js';
import { TryTab } from './try-tab.js';

/** Previews in the store, refused requests, stored media, and a try. */
export function Page() {
  return (
    <>
      <PageHeader title="Previews" description="What chat clients get for links." />
      <TabPages
        label="Which previews"
        tabs={[
          { value: 'stored', label: 'Stored', page: <StoredTab /> },
          { value: 'refused', label: 'Refused', page: <RefusedTab /> },
          { value: 'media', label: 'Media', page: <MediaTab /> },
          { value: 'try', label: 'Try', page: <TryTab /> },
        ]}
      />
    </>
  );
}
