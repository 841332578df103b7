import { TextInput } from '@mantine/core';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { useState } from 'react';

import { EmptyState } from '../../ui/state/empty-state.js';
import styles from './explorer.module.css';

interface SchemaDocsProps {
  schema: GraphQLSchema;
  /** What is in view; null: where to begin. */
  shown: ShownType | null;
  onShow: (shown: ShownType | null) => void;
}

/** A type, and one of its members to be brought into view. */
export interface ShownType {
  typeName: string;
  member?: string | undefined;
}

const MAX_FOUND = 40;

/** What every part of the schema means, type by type. */
export function SchemaDocs({ schema, shown, onShow }: SchemaDocsProps) {
  const [search, setSearch] = useState('');
  const type = shown === null ? undefined : schema.getType(shown.typeName);
  const onType = (typeName: string | null, member?: string) =>
    onShow(typeName === null ? null : { typeName, member });
  return (
    <div className={styles.docs}>
      <TextInput
        aria-label="Search the schema"
        placeholder="Search types and fields"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        spellCheck={false}
      />
      {search.trim() !== '' ? (
        <Found
          schema={schema}
          search={search.trim()}
          onType={(typeName, member) => {
            setSearch('');
            onType(typeName, member);
          }}
        />
      ) : type === undefined ? (
        <Roots onType={onType} />
      ) : (
        <TypeDocs type={type} member={shown?.member} onType={onType} />
      )}
    </div>
  );
}

type OnType = (typeName: string | null, member?: string) => void;

function Roots({ onType }: { onType: OnType }) {
  return (
    <ul className={styles.members}>
      {[
        ['Query', 'Everything that can be read'],
        ['Mutation', 'Everything that can be done'],
      ].map(([name, words]) => (
        <li key={name}>
          <TypeButton name={name ?? ''} onType={onType} />
          <p className={styles.quiet}>{words}</p>
        </li>
      ))}
    </ul>
  );
}

function TypeButton({ name, onType }: { name: string; onType: OnType }) {
  return (
    <button type="button" className={styles.type} onClick={() => onType(name)}>
      {name}
    </button>
  );
}

interface Member {
  name: string;
  type: GraphQLType | null;
  description: string | null | undefined;
  args: readonly { name: string; type: GraphQLType; description?: string | null | undefined }[];
}

function membersOf(type: GraphQLNamedType): Member[] {
  if (isObjectType(type) || isInterfaceType(type)) return Object.values(type.getFields()).map(memberOf);
  if (isInputObjectType(type)) return Object.values(type.getFields()).map(memberOf);
  if (!isEnumType(type)) return [];
  return type.getValues().map(({ name, description }) => ({ name, type: null, description, args: [] }));
}

function memberOf(
  field: Omit<Member, 'args' | 'type'> & { type: GraphQLType; args?: Member['args'] },
): Member {
  const { name, type, description, args = [] } = field;
  return { name, type, description, args: [...args] };
}

interface TypeDocsProps {
  type: GraphQLNamedType;
  member: string | undefined;
  onType: OnType;
}

function TypeDocs({ type, member: wanted, onType }: TypeDocsProps) {
  return (
    <>
      <p>
        <button type="button" className={styles.type} onClick={() => onType(null)}>
          ← all
        </button>
      </p>
      <h3 className={styles.typeName}>{type.name}</h3>
      {type.description && <p className={styles.quiet}>{type.description}</p>}
      <ul className={styles.members}>
        {membersOf(type).map((member) => (
          <li
            key={member.name}
            data-wanted={member.name === wanted || undefined}
            ref={member.name === wanted ? bringIntoView : undefined}
          >
            <code>{member.name}</code>
            {member.type !== null && (
              <>
                {': '}
                <TypeRef type={member.type} onType={onType} />
              </>
            )}
            {member.description && <p className={styles.quiet}>{member.description}</p>}
            {member.args.length > 0 && <Arguments args={member.args} onType={onType} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function bringIntoView(member: HTMLElement | null): void {
  member?.scrollIntoView({ block: 'nearest' });
}

function Arguments({ args, onType }: { args: Member['args']; onType: OnType }) {
  return (
    <ul className={styles.args}>
      {args.map(({ name, type, description }) => (
        <li key={name}>
          <code>{name}</code>: <TypeRef type={type} onType={onType} />
          {description && <span className={styles.quiet}> {description}</span>}
        </li>
      ))}
    </ul>
  );
}

function TypeRef({ type, onType }: { type: GraphQLType; onType: OnType }) {
  const { name } = getNamedType(type);
  return (
    <button type="button" className={styles.type} onClick={() => onType(name)}>
      {String(type)}
    </button>
  );
}

function Found({ schema, search, onType }: { schema: GraphQLSchema; search: string; onType: OnType }) {
  const wanted = search.toLowerCase();
  const found = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      ...(type.name.toLowerCase().includes(wanted)
        ? [{ path: type.name, typeName: type.name, member: undefined }]
        : []),
      ...membersOf(type)
        .filter(({ name }) => name.toLowerCase().includes(wanted))
        .map(({ name }) => ({ path: `${type.name}.${name}`, typeName: type.name, member: name })),
    ])
    .slice(0, MAX_FOUND);
  if (found.length === 0) return <EmptyState title="Nothing of this name" isSmall />;
  return (
    <ul className={styles.members}>
      {found.map(({ path, typeName, member }) => (
        <li key={path}>
          <button type="button" className={styles.type} onClick={() => onType(typeName, member)}>
            {path}
          </button>
        </li>
      ))}
    </ul>
  );
}
