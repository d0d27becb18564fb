/** Help texts, generated from the command table. */
import { type Command, type GroupedCommand, GROUPS } from './command.ts'
import { type Arg, type Option, optionsOf } from './parsed-args.ts'
import { EXIT_MEANINGS } from './exit.ts'
import type { Style } from './style.ts'
import { padEnd } from './width.ts'

const argText = ({ name, optional, many }: Arg) => {
  const text = `<${name}>${many ? '…' : ''}`
  return optional ? `[${text}]` : text
}

export const usageOf = (command: Command): string =>
  ['vendops', command.alias ?? command.name, ...(command.args ?? []).map(argText), '[options]'].join(' ')

const optionText = ([name, option]: [string, Option]): [string, string] => [
  `${name === 'help' ? '-h, ' : ''}--${name}${option.kind === 'flag' ? '' : ` ${option.value ?? 'TEXT'}`}`,
  option.summary +
    (option.choices ? ` (${option.choices.join(', ')})` : '') +
    (option.kind === 'list' ? '; repeatable' : ''),
]

function alignColumns(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length))
  return pairs.map(([left, right]) => `  ${padEnd(left, width)}  ${right}`)
}

export const commandHelp = (command: Command, style: Style): string =>
  [
    command.summary,
    '',
    `${style.bold('Usage')}  ${usageOf(command)}`,
    ...(command.details ? ['', command.details] : []),
    '',
    style.bold('Options'),
    ...alignColumns(Object.entries(optionsOf(command)).map(optionText)),
    '',
    ...(command.sections?.() ?? []).flatMap(([heading, pairs]) => [style.bold(heading), ...alignColumns(pairs), '']),
    style.bold('Examples'),
    ...command.examples.flatMap(([line, effect]) => [`  ${style.dim(`# ${effect}`)}`, `  ${line}`]),
    '',
  ].join('\n')

export function overview(commands: readonly GroupedCommand[], style: Style): string {
  const groups = GROUPS.map((group) => ({ group, members: commands.filter((command) => command.group === group) }))
  return [
    'vendops: the operator’s command line for a vending route.',
    '',
    `${style.bold('Usage')}  vendops <command> [options]      vendops <command> --help      vendops --version`,
    ...groups.flatMap(({ group, members }) => [
      '',
      style.bold(group),
      ...alignColumns(members.map((command) => [command.alias ?? command.name, command.summary])),
    ]),
    '',
    style.bold('Finding the service'),
    '  --url, VENDOPS_URL, PUBLIC_URL or PORT; else the service of vendops login; else http://127.0.0.1:8080.',
    '  The token comes from OPERATOR_TOKEN, from vendops login, or from the file that a staging service writes',
    '  next to its database.',
    '',
    style.bold('Exit codes'),
    ...alignColumns(Object.entries(EXIT_MEANINGS)),
    '',
  ].join('\n')
}
