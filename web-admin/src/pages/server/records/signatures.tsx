import { ToneIcon } from '../../../ui/state/state-badge.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { RecordData } from '../server-query.js';
import styles from './records.module.css';

/** Every signature of a record, checked; ours are marked. */
export function Signatures({ signatures }: { signatures: RecordData['signatures'] }) {
  return (
    <ul className={styles.signatures} aria-label="Signatures">
      {signatures.map(({ signer, keyId, valid, isOurs, message }) => (
        <li key={`${signer} ${keyId}`}>
          <span role="img" aria-label={valid ? 'valid' : 'not valid'}>
            <ToneIcon tone={valid ? 'ok' : 'bad'} />
          </span>
          <span>
            <UntrustedText text={signer} /> <UntrustedText text={keyId} mono />
            {isOurs && <span className={styles.ours}>ours</span>}
            {!valid && (
              <span className={styles.why}>
                {' '}
                not valid{message === null ? '' : ': '}
                {message !== null && <UntrustedText text={message} />}
              </span>
            )}
          </span>
        </li>
      ))}
      {signatures.length === 0 && <li className={styles.why}>none</li>}
    </ul>
  );
}
