import { Drawer } from '@mantine/core';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Drawer.css';
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
    <Drawer opened={opened} onClose={onClose} position="right" size="xl" title={title}>
      {opened && children}
    </Drawer>
  );
}
