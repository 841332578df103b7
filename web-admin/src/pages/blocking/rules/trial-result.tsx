import { counted } from '../../../ui/text/counted.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { ToneIcon, type Tone } from '../../../ui/state/state-badge.js';
import type { TrialData } from './rule-mutations.js';
import styles from './rules.module.css';

/** What a change would have done to the latest addresses. */
export function TrialResult({ trial }: { trial: TrialData }) {
  const { looked, unjudged, isCut, opensInternal, newlyRefused, newlyAllowed } = trial;
  return (
    <div className={styles.trial} role="status">
      {opensInternal && <InternalWarning />}
      <p>
        {looked === 1 ? 'Tried on the one address' : `Tried on the ${looked.toLocaleString('en')} addresses`}{' '}
        that
        {looked === 1 ? ' was' : ' were'} seen last
        {isCut && ', then time ran out'}
        {unjudged > 0 && `; ${counted(unjudged, 'name')} not looked up`}.
      </p>
      <Side tone="bad" words="would be refused that are allowed now" side={newlyRefused} />
      <Side tone="ok" words="would be allowed that are refused now" side={newlyAllowed} />
    </div>
  );
}

function Side({ tone, words, side }: { tone: Tone; words: string; side: TrialData['newlyRefused'] }) {
  return (
    <div className={styles.side}>
      <p>
        <ToneIcon tone={side.count === 0 ? 'idle' : tone} />{' '}
        <strong>{side.count.toLocaleString('en')}</strong> {words}
      </p>
      {side.examples.length > 0 && (
        <ul className={styles.examples} aria-label={`Some that ${words}`}>
          {side.examples.map((url) => (
            <li key={url}>
              <UntrustedText text={url} max={90} mono />
            </li>
          ))}
          {side.count > side.examples.length && <li>and others</li>}
        </ul>
      )}
    </div>
  );
}

function InternalWarning() {
  return (
    <p className={styles.warning}>
      <ToneIcon tone="warn" />
      <span>
        <strong>This opens internal addresses.</strong> Everybody who may ask for a preview can then have this
        server read what stands there: routers, databases, consoles, the secrets of a cloud at
        169.254.169.254. Allow single addresses of pages that everybody may see, and nothing wider.
      </span>
    </p>
  );
}
