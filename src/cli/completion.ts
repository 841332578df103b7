import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

interface Word {
  text: string;
  description: string;
}

interface Flag extends Word {
  short: string | null;
  takesValue: boolean;
  choices: readonly string[];
}

/** What may follow a command. */
interface Place {
  /** Names from the program on, without it; empty for the program itself. */
  path: string;
  words: readonly Word[];
  flags: readonly Flag[];
}

/** The completion of the program's commands, options and choices for a shell, as text that the shell reads. */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '');
  if (shell === 'fish') return fishScript(places);
  const load = 'autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n';
  return (shell === 'zsh' ? load : '') + bashScript(places);
}

function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const named = help
    .visibleCommands(command)
    .map((each) => ({ text: each.name(), description: each.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices, description }) =>
    (argChoices ?? []).map((text) => ({ text, description })),
  );
  const flags = help
    .visibleOptions(command)
    .map(({ long, short, description, required, optional, argChoices }) => ({
      text: long ?? '',
      short: short ?? null,
      description,
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
    const all = [...words, ...flags].map(({ text }) => text);
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

function fishScript(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = places.flatMap(({ path, words, flags }) => {
    const start = `complete -c vidimus -n ${quoted(`__vidimus_at ${quoted(path)}`)}`;
    const offered = words.map(
      ({ text, description }) => `${start} -f -a ${quoted(text)} -d ${quoted(description)}`,
    );
    const options = flags.map(({ text, short, description, takesValue, choices }) => {
      const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r';
      const letter = short === null ? '' : ` -s ${short.slice(1)}`;
      return `${start}${letter} -l ${text.slice(2)}${takesValue ? value : ''} -d ${quoted(description)}`;
    });
    return [...offered, ...options];
  });
  return `function __vidimus_at
  set -l path
  for each in (commandline -opc)[2..-1]
    contains -- (string join ' ' -- $path $each) ${places.map(({ path }) => quoted(path)).join(' ')}
    and set -a path $each
  end
  set -l joined (string join ' ' -- $path)
  test "$argv[1]" = "$joined"
end
${lines.join('\n')}
`;
}
