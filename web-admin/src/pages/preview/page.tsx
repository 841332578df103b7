import { useQuery } from '../../api/use-query.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { Gone } from './gone.js';
import { previewByIdQuery, previewQuery, type PreviewData } from './preview-query.js';
import { PreviewDetails } from './preview-details.js';

const SHAPE = { url: text(), id: text() };
const BACK = { href: '/previews', label: 'Previews' };

/** One stored preview: by URL, or by id for those who are not shown query strings. */
export function Page() {
  const [{ url, id }] = useSearchParams(SHAPE);
  if (id !== '') return <ById key={id} id={id} url={url} />;
  if (url !== '') return <ByUrl key={url} url={url} />;
  return (
    <>
      <PageHeader title="Preview" back={BACK} />
      <Panel>
        <EmptyState title="Which preview?">
          The address of this page names none. Choose one from the list.
        </EmptyState>
      </Panel>
    </>
  );
}

function ByUrl({ url }: { url: string }) {
  const query = useQuery(previewQuery, { url }, { live: 'list', keepPrevious: false });
  return (
    <QueryView query={query} loading={<Waiting />}>
      {({ preview }) => <Found preview={preview} url={url} />}
    </QueryView>
  );
}

function ById({ id, url }: { id: string; url: string }) {
  const query = useQuery(previewByIdQuery, { id }, { live: 'list', keepPrevious: false });
  return (
    <QueryView query={query} loading={<Waiting />}>
      {({ node }) => <Found preview={node?.__typename === 'Preview' ? node : null} url={url} />}
    </QueryView>
  );
}

function Waiting() {
  return <PageHeader title="Preview" back={BACK} />;
}

function Found({ preview, url }: { preview: PreviewData | null; url: string }) {
  return preview === null ? <Gone url={url} /> : <PreviewDetails preview={preview} />;
}
