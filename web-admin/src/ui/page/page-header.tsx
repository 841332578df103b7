import { Icon } from '../icons.js';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';

import { useSession } from '../../session/session-context.js';
import { writeMarks } from '../text/visible-marks.js';
import styles from './page.module.css';

interface PageHeaderProps {
  /** Also the window's title. */
  title: string;
  /** Drawn instead of the plain title, e.g. untrusted text with a copy button. */
  heading?: ReactNode;
  /** One sentence on what the page is for. */
  description?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
  /** The page above, for details. */
  back?: { href: string; label: string };
}

/** Title, sentence and actions of a page. Every page has exactly one. */
export function PageHeader({ title, heading, description, actions, back }: PageHeaderProps) {
  const { serverName } = useSession();
  useEffect(() => {
    document.title = `${writeMarks(title)} · ${serverName} · Vidimus`;
  }, [title, serverName]);
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        {back !== undefined && (
          <Link href={back.href} className={styles.back}>
            <Icon name="chevronLeft" size={14} /> {back.label}
          </Link>
        )}
        <h1 className={styles.title}>{heading ?? title}</h1>
        {description !== undefined && <p className={styles.description}>{description}</p>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
