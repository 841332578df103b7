import { UnavailableError } from '../http.js';
import { checkCommand, CHECK_HELP } from './check-command.js';
import { CommandError, EXIT, note, print, printable } from './output.js';
import { proveCommand, PROVE_HELP } from './prove-command.js';
import { verifyCommand, VERIFY_HELP } from './verify-command.js';
import { witnessCommand, WITNESS_HELP } from './witness-command.js';

interface Command {
  run(args: string[]): Promise<void>;
  help: string;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  verify: { run: verifyCommand, help: VERIFY_HELP },
  prove: { run: proveCommand, help: PROVE_HELP },
  check: { run: checkCommand, help: CHECK_HELP },
  witness: { run: witnessCommand, help: WITNESS_HELP },
};

const HELP = `Usage: tlog COMMAND

Follow, check and witness transparency logs in the C2SP formats.

Commands:
  verify URL --key KEY        follow a log: it only grows, and every entry and record is checked
  prove SERVER KEY-ID --url URL
                              save a proof that a log holds the newest record with this key
  check FILE --key KEY        check a saved proof offline
  witness                     cosign the checkpoints of other logs

"tlog COMMAND --help" explains a command.

Exit codes: 0 all is well, 1 the log has lied or a proof proves nothing, 2 wrong use, 3 the log cannot be read.`;

/** Runs the command; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const isHelp = name === '' || name === '--help' || name === '-h' || name === 'help';
    if (isHelp) print(HELP);
    else note(`tlog: There is no command "${printable(name)}". "tlog --help" lists them.`);
    return isHelp ? EXIT.ok : EXIT.use;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    print(command.help);
    return EXIT.ok;
  }
  try {
    await command.run(rest);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof UnavailableError) {
      note(`tlog: ${printable(error.message)}.`);
      return EXIT.unavailable;
    }
    if (!(error instanceof CommandError)) throw error;
    if (error.sentences !== null) note(`tlog: ${error.sentences}`);
    return error.exitCode;
  }
}
