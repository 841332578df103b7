/** How commands are typed for the running service, as a shell reads it. */
export interface CommandLine {
  /** What starts the program: `vidimus`, `node /opt/vidimus/bin/vidimus.js`. */
  program: string;
  /** What follows the command: `--config /etc/vidimus/config.yaml`; may be empty. */
  options: string;
}

/** A command such as `keys generate`, ready to be typed. */
export function typedCommand({ program, options }: CommandLine, words: string): string {
  return [program, words, options].filter((part) => part !== '').join(' ');
}

/** Text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
