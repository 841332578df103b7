export * from './checkpoint.js';
export * from './ed25519.js';
export { UnavailableError } from './io.js';
export { encodeKeyEntry, readKeyEntry, type KeyEntry, type KeyEntryEvent } from './key-entry.js';
export * from './note.js';
export * from './tiles.js';
export * from './tree.js';
