/** Help drawn from the command table. */
import type { Arg, Command, Group, Option } from './command.ts'
import { optionsOf } from './command.ts'
import { EXIT } from './exit.ts'
import type { Style } from './style.ts'
import { padEnd } from './width.ts'

const GROUPS: readonly Group[] = ['Look', 'Stock and prices', 'Buy', 'Decide', 'On the host', 'Tools']

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
    (option.kind === 'list' ? '; again for more' : ''),
]

function columns(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length))
  return pairs.map(([left, right]) => `  ${padEnd(left, width)}  ${right}`)
}

export function commandHelp(command: Command, style: Style): string {
  return [
    command.summary,
    '',
    `${style.bold('Usage')}  ${usageOf(command)}`,
    ...(command.details ? ['', command.details] : []),
    '',
    style.bold('Options'),
    ...columns(Object.entries(optionsOf(command)).map(optionText)),
    '',
    style.bold('Examples'),
    ...command.examples.flatMap(([typed, does]) => [`  ${style.dim(`# ${does}`)}`, `  ${typed}`]),
    '',
  ].join('\n')
}

export function overview(commands: readonly Command[], style: Style): string {
  const groups = GROUPS.map((group) => ({ group, members: commands.filter((command) => command.group === group) }))
  return [
    'vendops: the operator’s command line for a vending route.',
    '',
    `${style.bold('Usage')}  vendops <command> [options]      vendops <command> --help`,
    ...groups.flatMap(({ group, members }) => [
      '',
      style.bold(group),
      ...columns(members.map((command) => [command.alias ?? command.name, command.summary])),
    ]),
    '',
    style.bold('Finding the service'),
    '  VENDOPS_URL, else PUBLIC_URL, else http://127.0.0.1:$PORT; the token from OPERATOR_TOKEN, or the',
    '  file a staging service keeps beside its database.',
    '',
    style.bold('Exit codes'),
    ...columns(EXITS.map(([code, meaning]) => [String(code), meaning])),
    '',
  ].join('\n')
}

export const EXITS: readonly (readonly [number, string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.failed, 'failed: the service said no, or a check found something wrong'],
  [EXIT.usage, 'the command line is wrong; nothing was sent'],
  [EXIT.guarded, 'a guardrail refused, or the owner has to approve first'],
  [EXIT.unreachable, 'the service cannot be reached'],
  [EXIT.unauthorized, 'the token was refused, or there is none'],
  [EXIT.upstream, 'a supplier or machine platform failed; later it may work'],
  [EXIT.declined, 'not confirmed by a person'],
  [EXIT.interrupted, 'interrupted'],
]
