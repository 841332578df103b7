import { Paper, Stack, Text } from '@mantine/core';

import { Icon } from '../icons.js';
import { SafeImage, thumbnailPath } from '../safe-image.js';
import { Note, UntrustedText } from '../text/text.js';
import { cardOf, type CardModel, type PreviewValue } from './card-model.js';

interface PreviewCardProps {
  url: string;
  properties: readonly PreviewValue[];
  /** Our own path of the image; null when there is none or it is not drawn. */
  viewPath: string | null;
}

/** The preview as chat clients draw it. */
export function PreviewCard({ url, properties, viewPath }: PreviewCardProps) {
  const card = cardOf(url, properties);
  if (card !== null) return <Card card={card} viewPath={viewPath} />;
  return (
    <Text c="dimmed">
      Clients show no preview:{' '}
      {properties.length === 0 ? 'the answer is empty' : 'the answer adds nothing to the link'}.
    </Text>
  );
}

function Card({ card, viewPath }: { card: CardModel; viewPath: string | null }) {
  const { title, author, description } = card;
  return (
    <Paper component="figure" m={0} withBorder maw={478} className="v-clip">
      {card.hasImage && !card.isIcon && (
        <div className="v-large-image">
          <SafeImage
            path={thumbnailPath(viewPath, '956x400-scale')}
            alt={card.alt}
            width={478}
            height={200}
          />
          {card.isPlayable && <Icon name="playerPlay" size={44} label="Can be played" />}
        </div>
      )}
      <Stack gap={2} p="sm">
        <Note>
          {card.isIcon ? (
            <SafeImage path={viewPath} alt="" width={16} height={16} fit="contain" />
          ) : (
            <Icon name="world" size={14} />
          )}{' '}
          <UntrustedText text={card.siteName} max={60} />
        </Note>
        {title !== null && (
          <Text fw={600}>
            <UntrustedText text={title} max={200} />
          </Text>
        )}
        {author !== null && (
          <Text c="dimmed">
            <UntrustedText text={author} max={80} />
          </Text>
        )}
        {description !== null && (
          <Text c="dimmed" lineClamp={3}>
            <UntrustedText text={description} max={300} />
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
