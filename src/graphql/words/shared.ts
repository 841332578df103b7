/** What is named alike wherever it stands: the end of a path, and its words. The first that fits counts. */
export const SHARED_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\.first$/, 'Rows of the page, from 1 to 100'],
  [/\.after$/, 'endCursor of the page before'],
  [/\.last$/, 'Rows of the page, counted from its end, from 1 to 100'],
  [/\.before$/, 'startCursor of the page behind'],
  [/^Query\.\w+\.filter$/, 'Which rows; all that is given must hold'],
  [/^Query\.\w+\.sort$/, 'Order of the rows'],
  [/Sort\.field$/, 'What rows are sorted by'],
  [/Sort\.direction$/, 'Which end comes first'],
  [/Sort$/, 'An order of rows'],
  [/SortField$/, 'What rows can be sorted by'],
  [/Payload$/, 'What became of it'],
  [/Filter$/, 'Which rows are wanted; what is left out does not matter'],
];
