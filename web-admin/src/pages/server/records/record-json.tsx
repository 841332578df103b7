import { useState } from 'react';

import { JsonView } from '../../../ui/json/json-view.js';
import type { RecordData } from '../server-query.js';
import styles from './records.module.css';

/** The record as its server published it, beside what a peer gets from us now. */
export function RecordJson({ record }: { record: RecordData }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <button type="button" className={styles.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide JSON' : 'Published and served JSON'}
      </button>
      {isOpen && (
        <div className={styles.pair}>
          <div>
            <h3>As published</h3>
            <JsonView value={record.published} what="published record" openTo={4} />
          </div>
          <div>
            <h3>As served to peers</h3>
            <JsonView value={record.served} what="served record" openTo={4} />
          </div>
        </div>
      )}
    </div>
  );
}
