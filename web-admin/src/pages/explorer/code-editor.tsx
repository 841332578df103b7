import {
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  autocompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

import { readStyleNonce } from '../../api/base-path.js';
import styles from './explorer.module.css';

interface CodeEditorProps {
  label: string;
  /** What it begins with; another `key` begins anew. */
  text: string;
  onText: (text: string) => void;
  /** Language, completion, errors. */
  language: Extension;
  onRun: () => void;
}

/** A text with colours, completion and errors. Tab goes on to the next control, as everywhere. */
export function CodeEditor({ label, text, onText, language, onRun }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const told = useRef({ onText, onRun });
  useEffect(() => {
    told.current = { onText, onRun };
  });
  const first = useRef(text);
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const run = () => {
      told.current.onRun();
      return true;
    };
    const extensions = [
      keymap.of([{ key: 'Mod-Enter', run }]),
      EditorView.cspNonce.of(readStyleNonce()),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) told.current.onText(state.doc.toString());
      }),
      BASICS,
      language,
    ];
    const view = new EditorView({ parent, state: EditorState.create({ doc: first.current, extensions }) });
    return () => view.destroy();
  }, [label, language]);
  return <div ref={place} className={styles.editor} />;
}

const BASICS: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion(),
  EditorView.lineWrapping,
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.definitionKeyword], color: 'var(--v-bad)' },
      { tag: [tags.propertyName, tags.attributeName], color: 'var(--v-accent)' },
      { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--v-ok)' },
      { tag: [tags.variableName, tags.special(tags.name)], color: 'var(--v-warn)' },
      { tag: tags.comment, color: 'var(--v-text-3)', fontStyle: 'italic' },
    ]),
  ),
  EditorView.theme({
    '&': { height: '100%', color: 'var(--v-text)', backgroundColor: 'transparent', fontSize: '13px' },
    '&.cm-focused': { outline: '2px solid var(--v-accent)', outlineOffset: '-2px' },
    '.cm-scroller': { fontFamily: 'var(--v-mono)', lineHeight: '20px' },
    '.cm-content': { caretColor: 'var(--v-text)' },
    '.cm-cursor': { borderLeftColor: 'var(--v-text)' },
    '.cm-gutters': { color: 'var(--v-text-3)', backgroundColor: 'transparent', border: 'none' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'var(--v-accent-soft)',
    },
    '.cm-tooltip': {
      color: 'var(--v-text)',
      backgroundColor: 'var(--v-surface)',
      border: '1px solid var(--v-line)',
    },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      color: 'var(--v-text)',
      backgroundColor: 'var(--v-accent-soft)',
    },
    '.cm-completionDetail': { color: 'var(--v-text-3)' },
  }),
];
