import { Icon } from '../icons.js';

import { SafeImage } from '../media/safe-image.js';
import { thumbnailPath } from '../media/thumbnail-path.js';
import { UntrustedText } from '../text/untrusted-text.js';
import { cardOf, type CardModel, type PreviewValue } from './card-model.js';
import styles from './preview-card.module.css';

interface PreviewCardProps {
  url: string;
  properties: readonly PreviewValue[];
  /** Our own path of the image; null when there is none or it is not drawn. */
  viewPath: string | null;
}

/** The preview as chat clients draw it: the large form of new ones, the small form of older ones and phones. */
export function PreviewCard({ url, properties, viewPath }: PreviewCardProps) {
  const card = cardOf(url, properties);
  if (card === null)
    return (
      <p className={styles.nothing}>
        Clients draw no preview:{' '}
        {properties.length === 0 ? 'the answer is empty' : 'it says no more than the link'}.
      </p>
    );
  return (
    <div className={styles.forms}>
      <figure className={styles.form}>
        <Large card={card} viewPath={viewPath} />
        <figcaption>
          Large form{card.isIcon && '; the image is so small that it counts as the site’s icon'}
        </figcaption>
      </figure>
      <figure className={styles.form}>
        <Small card={card} viewPath={viewPath} />
        <figcaption>Small form</figcaption>
      </figure>
    </div>
  );
}

interface FormProps {
  card: CardModel;
  viewPath: string | null;
}

function Large({ card, viewPath }: FormProps) {
  const isBig = card.hasImage && !card.isIcon;
  return (
    <div className={styles.large}>
      {isBig && (
        <div className={styles.image}>
          <SafeImage
            path={thumbnailPath(viewPath, '956x400-scale')}
            alt={card.alt}
            width={478}
            height={200}
          />
          {card.isPlayable && (
            <span className={styles.play}>
              <Icon name="playerPlay" size={18} label="Can be played" />
            </span>
          )}
        </div>
      )}
      <div className={styles.words}>
        <p className={styles.site}>
          {card.isIcon ? (
            <SafeImage path={viewPath} alt="" width={16} height={16} fit="contain" />
          ) : (
            <Icon name="world" size={14} />
          )}
          <UntrustedText text={card.siteName} max={60} />
        </p>
        <Words card={card} />
      </div>
    </div>
  );
}

function Small({ card, viewPath }: FormProps) {
  return (
    <div className={styles.small}>
      {card.hasImage && (
        <SafeImage path={thumbnailPath(viewPath, '256x256-crop')} alt={card.alt} width={76} height={76} />
      )}
      <div className={styles.words}>
        <Words card={card} />
        <p className={styles.site}>
          <UntrustedText text={card.siteName} max={60} />
        </p>
      </div>
    </div>
  );
}

function Words({ card }: { card: CardModel }) {
  return (
    <>
      {card.title !== null && (
        <p className={styles.title}>
          <UntrustedText text={card.title} max={200} />
        </p>
      )}
      {card.author !== null && (
        <p className={styles.author}>
          <UntrustedText text={card.author} max={80} />
        </p>
      )}
      {card.description !== null && (
        <p className={styles.description}>
          <UntrustedText text={card.description} max={300} />
        </p>
      )}
    </>
  );
}
