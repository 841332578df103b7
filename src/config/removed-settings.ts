/** Settings of earlier versions, by their dotted names, with what to use instead. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  witness: 'run the command "tlog witness" of packages/tlog beside the server',
  'admin.kept_request_events': 'search the log for the request ID',
  runtime: 'there is nothing left to switch off',
  tracing: 'use the metrics and the log',
};
