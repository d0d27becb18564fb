/** What was typed, read against the command's description; every mistake is a sentence. */
import { parseArgs } from 'node:util'
import type { Command, Option } from './command.ts'
import { optionsOf } from './command.ts'
import { UsageError } from './exit.ts'

export interface ParsedArgs {
  /** A positional; required ones are always there. */
  arg(name: string): string
  optional(name: string): string | undefined
  rest(name: string): readonly string[]
  flag(option: string): boolean
  text(option: string): string | undefined
  list(option: string): readonly string[]
  whole(option: string, fallback: number, min: number, max: number): number
}

const isSwitch = (option: Option) => option.kind === 'flag'

/** parseArgs tells what it met in words for programmers; these are for people. */
function parsed(argv: readonly string[], options: Readonly<Record<string, Option>>) {
  const described = Object.entries(options).map(([name, option]) => [
    name,
    { type: isSwitch(option) ? 'boolean' : 'string', multiple: option.kind === 'list' },
  ])
  try {
    return parseArgs({
      args: [...argv],
      options: { ...(Object.fromEntries(described) as object), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    })
  } catch (problem) {
    const [sentence = ''] = (problem as Error).message.split('. ')
    throw new UsageError(sentence.replaceAll("'", '"').replace(/^\w/, (first) => first.toLowerCase()))
  }
}

export function read(command: Command, argv: readonly string[]): ParsedArgs {
  const options = optionsOf(command)
  const { values, positionals } = parsed(argv, options)
  const given = values as Readonly<Record<string, string | boolean | readonly string[] | undefined>>
  const args = command.args ?? []

  // Somebody who asks for help need not get the rest right.
  if (given['help'] !== true) {
    args.forEach((arg, i) => {
      if (!arg.optional && positionals[i] === undefined) throw new UsageError(`<${arg.name}> is missing`)
    })
    const surplus = args.at(-1)?.many ? [] : positionals.slice(args.length)
    if (surplus.length > 0) throw new UsageError(`"${surplus[0]}" is too much; ${command.name} takes ${taken(args)}`)
    for (const [name, { choices }] of Object.entries(options)) {
      const value = given[name]
      if (choices && typeof value === 'string' && !choices.includes(value))
        throw new UsageError(`--${name} is one of ${choices.join(', ')}`)
    }
  }

  const indexOf = (name: string) => args.findIndex((arg) => arg.name === name)
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined)
  return {
    arg: (name) => positionals[indexOf(name)] ?? '',
    optional: (name) => positionals[indexOf(name)],
    rest: (name) => positionals.slice(indexOf(name)),
    flag: (name) => given[name] === true,
    text,
    list: (name) => (Array.isArray(given[name]) ? (given[name] as readonly string[]) : []),
    whole(name, fallback, min, max) {
      const value = text(name)
      if (value === undefined) return fallback
      const n = Number(value)
      if (!/^\d+$/.test(value) || n < min || n > max)
        throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`)
      return n
    },
  }
}

const taken = (args: NonNullable<Command['args']>): string =>
  args.length === 0 ? 'no arguments' : args.map(({ name }) => `<${name}>`).join(' ')
