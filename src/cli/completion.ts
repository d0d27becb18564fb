/** Completion scripts for three shells: commands, subcommands, options and the values of options. */
import { type Command } from './command.ts'
import { optionsOf } from './parsed-args.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** First words, and the second words of each. */
function commandWords(commands: readonly Command[]) {
  const first = new Map<string, string>()
  const second = new Map<string, { readonly word: string; readonly summary: string }[]>()
  for (const { name, alias, summary } of commands) {
    const [head = '', tail] = name.split(' ')
    if (tail === undefined || alias === head || !first.has(head)) first.set(head, summary)
    if (tail !== undefined) second.set(head, [...(second.get(head) ?? []), { word: tail, summary }])
  }
  return { first: [...first].map(([word, summary]) => ({ word, summary })), second }
}

const optionsByPath = (commands: readonly Command[]) =>
  commands.flatMap((command) =>
    [command.name, ...(command.alias === undefined ? [] : [command.alias])].map((path) => ({
      path,
      options: Object.entries(optionsOf(command)),
    })),
  )

export const completionScript = (shell: Shell, commands: readonly Command[]): string => SCRIPTS[shell](commands)

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = { bash, zsh, fish }

const caseStatements = (commands: readonly Command[]): string[] => {
  const { second } = commandWords(commands)
  const choices = new Map<string, readonly string[]>()
  const lines = optionsByPath(commands).map(({ path, options }) => {
    for (const [name, option] of options) if (option.choices) choices.set(`${path} --${name}`, option.choices)
    const flags = options.map(([name]) => `--${name}`)
    const following = path.includes(' ') ? [] : (second.get(path) ?? []).map(({ word }) => word)
    return `    "${path}") words="${[...following, ...flags].join(' ')}" ;;`
  })
  const values = [...choices].map(([key, all]) => `    "${key}") words="${all.join(' ')}" ;;`)
  // First words that are not commands by themselves.
  const bare = [...second]
    .filter(([head]) => !commands.some(({ name, alias }) => name === head || alias === head))
    .map(([head, tails]) => `    "${head}") words="${tails.map(({ word }) => word).join(' ')}" ;;`)
  return [
    '  case "$path $previous" in',
    ...values,
    '    *) words="" ;;',
    '  esac',
    '  if [ -z "$words" ]; then',
    '  case "$path" in',
    ...lines,
    ...bare,
    '  esac',
    '  fi',
  ]
}

function bash(commands: readonly Command[]): string {
  const { first, second } = commandWords(commands)
  const heads = [...second.keys()].join('|')
  return [
    '# vendops completion for bash',
    '_vendops() {',
    '  local current previous path words',
    '  current="${COMP_WORDS[COMP_CWORD]}"; previous="${COMP_WORDS[COMP_CWORD-1]}"; words=""',
    `  if [ "$COMP_CWORD" -le 1 ]; then COMPREPLY=($(compgen -W "${first.map(({ word }) => word).join(' ')} help" -- "$current")); return; fi`,
    '  path="${COMP_WORDS[1]}"',
    `  case "$path" in ${heads}) [ "$COMP_CWORD" -gt 2 ] && [[ "\${COMP_WORDS[2]}" != -* ]] && _vendops_pair "$path" "\${COMP_WORDS[2]}" && path="$path \${COMP_WORDS[2]}" ;; esac`,
    ...caseStatements(commands),
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '  [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))',
    '}',
    '_vendops_pair() {',
    `  case "$1 $2" in ${commands
      .filter(({ name }) => name.includes(' '))
      .map(({ name }) => `"${name}"`)
      .join('|')}) return 0 ;; *) return 1 ;; esac`,
    '}',
    'complete -o default -F _vendops vendops',
    '',
  ].join('\n')
}

/** zsh runs the bash function through `bashcompinit`. */
function zsh(commands: readonly Command[]): string {
  const body = bash(commands).replace('# vendops completion for bash\n', '')
  return `#compdef vendops\nautoload -U +X bashcompinit && bashcompinit\n${body}`
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fish(commands: readonly Command[]): string {
  const { first, second } = commandWords(commands)
  const heads = first.map(({ word }) => word).join(' ')
  const atRoot = `not __fish_seen_subcommand_from ${heads}`
  const lines = first.map(
    ({ word, summary }) => `complete -c vendops -f -n ${quote(atRoot)} -a ${word} -d ${quote(summary)}`,
  )
  for (const [head, tails] of second) {
    const all = tails.map(({ word }) => word).join(' ')
    const here = `__fish_seen_subcommand_from ${head}; and not __fish_seen_subcommand_from ${all}`
    for (const { word, summary } of tails)
      lines.push(`complete -c vendops -f -n ${quote(here)} -a ${word} -d ${quote(summary)}`)
  }
  for (const { path, options: all } of optionsByPath(commands)) {
    const here = path
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    for (const [name, option] of all) {
      const value = option.kind === 'flag' ? '' : ` -x${option.choices ? ` -a ${quote(option.choices.join(' '))}` : ''}`
      lines.push(`complete -c vendops -n ${quote(here)} -l ${name}${value} -d ${quote(option.summary)}`)
    }
  }
  return ['# vendops completion for fish', ...lines, ''].join('\n')
}
