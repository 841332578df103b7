/** Answers of the document, as `operation status`, that `openapi.test.ts` does not bring about, each with the reason. */
export const UNSEEN: readonly { answers: RegExp; why: string }[] = [
  {
    answers: / 408$/,
    why: 'comes after the time a head has, whatever is asked: tests/rest/raw-requests.test.ts',
  },
  {
    answers: /^(?!getPreview).* 500$/,
    why: 'nothing that nobody foresaw is brought about; tests/rest/full-disk.test.ts and tests/rest/fuzz.test.ts',
  },
  {
    answers: /^getWitnessedCheckpoint 200$/,
    why: 'wants a quorum of witnesses: tests/core/notary/log/witnesses',
  },
  {
    answers: /^query(?:Server|Key) 413$/,
    why: 'wants records beyond keys.max_answer_size: tests/rest/peers/answer-size.test.ts',
  },
  {
    answers: /^(?:getOwnKeys?|getCheckpoint) 404$/,
    why: 'of a server that publishes no keys or has no log: tests/rest/shared-name.test.ts, tests/rest/peers/log.test.ts',
  },
  {
    answers: /^(?:downloadMedia|downloadMediaAs|getThumbnail) 403$/,
    why: "the homeserver's word about a user: tests/core/access/users",
  },
  {
    answers: /^getPage 403$/,
    why: 'under another name, which fetch cannot state: tests/rest/operators/session.test.ts',
  },
  { answers: /^getMetrics 401$/, why: 'where a token is wanted: tests/rest/metrics-token.test.ts' },
  {
    answers: /^(?:getLiveness|getMetrics|getPage|getRoot) 503$/,
    why: 'these want no store; a service that stops ends with it: tests/rest/drain.test.ts',
  },
];
