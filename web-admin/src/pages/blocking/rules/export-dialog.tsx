import { Modal } from '@mantine/core';

import { useQuery } from '../../../api/use-query.js';
import { useHold } from '../../../live/live-context.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { Snippet } from '../../../ui/text/snippet.js';
import dialog from '../../../ui/dialog/dialog.module.css';
import { rulesYamlQuery } from './rule-mutations.js';

/** Lists that operators added to, to be pasted into the configuration file. */
export function ExportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} title="Rules as YAML" size="lg">
      {opened && <Yaml />}
    </Modal>
  );
}

function Yaml() {
  const query = useQuery(rulesYamlQuery, {});
  return (
    <div className={dialog.body}>
      <p className={dialog.words}>
        Each list whole, with what stands in the file already: it takes the place of the one there.
      </p>
      <QueryView query={query}>
        {({ blockRulesYaml }) => <Snippet text={blockRulesYaml} what="rules as YAML" />}
      </QueryView>
    </div>
  );
}
