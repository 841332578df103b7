import { useViewer } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { Sessions } from './sessions.js';
import { SignInWays } from './sign-in-ways.js';
import { Tokens } from './tokens/tokens.js';
import styles from './access.module.css';

/** Who is in, who may come in, and with what. */
export function Page() {
  const { role } = useViewer();
  return (
    <>
      <PageHeader
        title="Access"
        description="Who is signed in, and which tokens let scripts and clients in."
      />
      {role === 'ADMIN' ? (
        <div className={styles.stack}>
          <Tokens />
          <Sessions />
          <SignInWays />
        </div>
      ) : (
        <EmptyState title="Only admins see this page">
          You are signed in as {role.toLowerCase()}. Ask an admin for a token, or for a sign-in code with a
          higher role.
        </EmptyState>
      )}
    </>
  );
}
