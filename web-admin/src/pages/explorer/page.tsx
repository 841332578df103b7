import { graphql as graphqlExtensions } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { useMemo, useState } from 'react';

import { useViewer } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { ErrorState } from '../../ui/state/error-state.js';
import { SkeletonLines } from '../../ui/state/section.js';
import { Operation } from './operation.js';
import { SchemaDocs, type ShownType } from './schema-docs.js';
import { useSchema } from './use-schema.js';
import styles from './explorer.module.css';

/** Operations by hand, with the rights of the session. Nothing that is written here is kept. */
export function Page() {
  const { sendsText } = useViewer();
  const { data: schema, error, refetch } = useSchema();
  return (
    <>
      <PageHeader
        title="Explorer"
        description="Operations of the API with the rights of this session. Nothing written here is kept."
        back={{ href: '/api', label: 'API' }}
      />
      {!sendsText && (
        <Panel>
          <EmptyState title="This session may only read the schema">
            admin.graphql.ad_hoc says who may send operations by hand.
          </EmptyState>
        </Panel>
      )}
      {schema === undefined ? (
        <Panel>
          {error === null ? <SkeletonLines /> : <ErrorState error={error} onRetry={() => void refetch()} />}
        </Panel>
      ) : (
        <Explorer schema={schema} sendsText={sendsText} />
      )}
    </>
  );
}

function Explorer({ schema, sendsText }: { schema: GraphQLSchema; sendsText: boolean }) {
  const [shown, setShown] = useState<ShownType | null>(null);
  const language = useMemo(
    () =>
      graphqlExtensions(schema, {
        onShowInDocs: (field, type, parentType) => setShown(shownOf(parentType ?? type, field)),
      }),
    [schema],
  );
  return (
    <div className={styles.parts} data-docs-only={!sendsText || undefined}>
      {sendsText && <Operation language={language} />}
      <Panel title="Schema">
        <SchemaDocs schema={schema} shown={shown} onShow={setShown} />
      </Panel>
    </div>
  );
}

/** The type may come with its marks: `[Server!]!`. */
function shownOf(type: string | undefined, member: string | undefined): ShownType | null {
  return type === undefined ? null : { typeName: type.replace(/[[\]!]/g, ''), member };
}
