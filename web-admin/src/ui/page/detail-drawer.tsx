import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';

interface DetailDrawerProps {
  title: ReactNode;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Details of one row beside its list. */
export function DetailDrawer({ title, opened, onClose, children }: DetailDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="xl"
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && children}
    </Drawer>
  );
}
