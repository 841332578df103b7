/** Words of the log and its witnesses. */
export const LOG_WORDS: Readonly<Record<string, string>> = {
  'Log.origin': 'Its name in checkpoints',
  'Log.size': 'Entries of the last checkpoint',
  'Log.checkpointAt': 'When it was signed',
  'Log.mergeDelayMs': 'How long what is served has not been in the log; 0 when nothing waits',
  'Log.maximumMergeDelayMs': 'How long that may be',
  'Log.witnesses': 'Those of the configuration, in its order',
  'LogWitness.name': 'Its name in cosignatures',
  'LogWitness.verifierKey': 'By which its cosignatures are checked',
  'LogWitness.url': 'Where checkpoints are offered',
  'LogWitness.lastCosignedAt': 'When it last cosigned; null before the first time',
  'LogWitness.lastCosignedSize': 'Entries of the checkpoint it last cosigned; null before the first time',
  'LogWitness.lastErrorAt': 'When the last failed offer failed; null when none did',
};
