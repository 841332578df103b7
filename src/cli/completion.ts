import type { Command } from 'commander';

/** What may follow a command. */
interface Place {
  /** Names from the program on, without it; empty for the program itself. */
  path: string;
  words: readonly string[];
  flags: readonly Flag[];
}

interface Flag {
  text: string;
  short: string | null;
  takesValue: boolean;
  choices: readonly string[];
}

/** The completion of the program's commands, options and choices, as text that bash reads. */
export function completionScript(program: Command): string {
  return bashScript(placesOf(program, ''));
}

function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const named = help.visibleCommands(command).map((each) => each.name());
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const flags = help.visibleOptions(command).map(({ long, short, required, optional, argChoices }) => ({
    text: long ?? '',
    short: short ?? null,
    takesValue: required || optional,
    choices: argChoices ?? [],
  }));
  const below = command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`.trim()));
  return [{ path, words: [...named, ...choices], flags }, ...below];
}

/** Words that say nothing of their own are completed as file names. */
function bashScript(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const values = places.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ text, short, choices }) => {
        const asked = [text, short].filter((name) => name !== null).map((name) => `'${path}:${name}'`);
        return `    ${asked.join('|')}) words='${choices.join(' ')}' ;;`;
      }),
  );
  const offered = places.map(({ path, words, flags }) => {
    const all = [...words, ...flags.map(({ text }) => text)];
    return `    '${path}:'*) words='${all.join(' ')}' ;;`;
  });
  return `_vidimus() {
  local path='' next word words='' at=1
  while [ "$at" -lt "$COMP_CWORD" ]; do
    next="\${path:+$path }\${COMP_WORDS[$at]}"
    case "$next" in
    ${paths.join('|')}) path=$next ;;
    esac
    at=$((at + 1))
  done
  word=\${COMP_WORDS[$COMP_CWORD]}
  case "$path:\${COMP_WORDS[$((COMP_CWORD - 1))]}" in
${[...values, ...offered].join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _vidimus vidimus
`;
}
