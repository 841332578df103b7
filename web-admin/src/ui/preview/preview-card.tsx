import { Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

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

/** The preview as chat clients draw it: the large form of new ones, the small form of older ones and phones. */
export function PreviewCard({ url, properties, viewPath }: PreviewCardProps) {
  const card = cardOf(url, properties);
  if (card === null)
    return (
      <Text c="dimmed">
        Clients draw no preview:{' '}
        {properties.length === 0 ? 'the answer is empty' : 'it says no more than the link'}.
      </Text>
    );
  return (
    <Stack gap="md">
      <Form
        words={
          card.isIcon ? 'Large form; the image is so small that it counts as the site’s icon' : 'Large form'
        }
      >
        <Large card={card} viewPath={viewPath} />
      </Form>
      <Form words="Small form">
        <Group wrap="nowrap" align="flex-start">
          {card.hasImage && (
            <SafeImage path={thumbnailPath(viewPath, '256x256-crop')} alt={card.alt} width={76} height={76} />
          )}
          <div>
            <Words card={card} lines={2} />
            <Note>
              <UntrustedText text={card.siteName} max={60} />
            </Note>
          </div>
        </Group>
      </Form>
    </Stack>
  );
}

function Form({ words, children }: { words: string; children: ReactNode }) {
  return (
    <Stack component="figure" gap={4} m={0}>
      {children}
      <Text component="figcaption" size="xs" c="dimmed">
        {words}
      </Text>
    </Stack>
  );
}

function Large({ card, viewPath }: { card: CardModel; viewPath: string | null }) {
  return (
    <Paper withBorder maw={478} className="v-clip">
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
        <Words card={card} lines={3} />
      </Stack>
    </Paper>
  );
}

function Words({ card: { title, author, description }, lines }: { card: CardModel; lines: number }) {
  return (
    <>
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
        <Text c="dimmed" lineClamp={lines}>
          <UntrustedText text={description} max={300} />
        </Text>
      )}
    </>
  );
}
