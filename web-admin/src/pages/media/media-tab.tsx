import { Button, Group } from '@mantine/core';

import { useCan } from '../../session/viewer-context.js';
import { Panel } from '../../ui/page/panel.js';
import { rangeOfDay } from '../../ui/filter/instant.js';
import { DataTable } from '../../ui/table/data-table.js';
import { choice, text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { MediaDrawer } from '../media-item/media-drawer.js';
import { useRunJob } from '../jobs/use-run-job.js';
import { MediaFilters } from './list/media-filters.js';
import { MediaGrid } from './list/media-grid.js';
import { useMediaView } from './list/media-view.js';
import { useMediaList } from './list/use-media-list.js';
import { Space } from './space/space.js';
import styles from './media.module.css';

const SHAPE = { view: choice(['table', 'grid'], 'table'), item: text() };

/** Stored pages and images: where the space goes, and each item with when it is deleted. */
export function MediaTab() {
  const view = useMediaView();
  const [{ view: form, item }, change] = useSearchParams(SHAPE);
  const can = useCan();
  const runJob = useRunJob();
  const { list, dialog } = useMediaList(view);
  return (
    <>
      {can('runJob') && (
        <Group justify="flex-end">
          <Button
            data-tip="Runs media_sweep: looks for missing and unknown files"
            onClick={() => void runJob('media_sweep', 'Verifying files')}
          >
            Verify files
          </Button>
        </Group>
      )}
      <div className={styles.top}>
        <Space
          onType={(type) => view.setFilter({ type })}
          onHost={(host) => view.setFilter({ host })}
          onDay={(day) => view.setFilter(rangeOfDay(day))}
        />
      </div>
      <MediaFilters view={view} form={form} onForm={(value) => change({ view: SHAPE.view.parse(value) })} />
      <Panel flush>{form === 'grid' ? <MediaGrid {...list} /> : <DataTable {...list} />}</Panel>
      {dialog}
      <MediaDrawer mediaId={item} onClose={() => change({ item: '' })} />
    </>
  );
}
