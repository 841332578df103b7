import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

const GENERATED = new URL('../src/gql/', import.meta.url);
const DOCUMENT = /\bgraphql\(\s*(?:\/\*\s*GraphQL\s*\*\/\s*)?`([^`]*)`,?\s*\)/g;
const TAG_IMPORT = /^import \{ graphql \} from '[^']*\/gql\/gql\.js';$/gm;
const OPERATION = /^\s*(?:query|mutation)\s+(\w+)/m;

function readGenerated(name: string): string {
  return readFileSync(fileURLToPath(new URL(name, GENERATED)), 'utf8');
}

/**
 * Leaves `{id, name}` of every graphql(`…`) text in the bundle, so a page carries no query text, and writes
 * trusted-documents.json (id → text, id = SHA-256 hex of the text) beside it for the server.
 */
export function trustedDocuments(): Plugin {
  return {
    name: 'vidimus:trusted-documents',
    enforce: 'pre',
    transform(code, file) {
      if (!/\.tsx?$/.test(file) || !code.includes('graphql(`')) return null;
      const ids = JSON.parse(readGenerated('ids.json')) as Record<string, string>;
      const replaced = code.replace(DOCUMENT, (_call, text: string) => {
        const name = OPERATION.exec(text)?.[1];
        if (name === undefined) return 'undefined';
        if (ids[name] === undefined) throw new Error(`operation ${name} is not generated yet`);
        return JSON.stringify({ id: ids[name], name });
      });
      return { code: replaced.replace(TAG_IMPORT, ''), map: null };
    },
    generateBundle() {
      const source = readGenerated('trusted-documents.json');
      this.emitFile({ type: 'asset', fileName: 'trusted-documents.json', source });
    },
  };
}
