/** Parses the command line against the description of a command. */
import { parseArgs } from 'node:util'
import { UsageError } from './exit.ts'

export interface Arg {
  readonly name: string
  readonly optional?: true
  /** Takes all remaining words; only the last argument may. */
  readonly many?: true
}

export interface Option {
  readonly kind: 'flag' | 'text' | 'list' | 'number'
  /** Placeholder of the value in the help. */
  readonly value?: string
  readonly summary: string
  readonly choices?: readonly string[]
}

/** The part of a command that describes its arguments. */
export interface CommandArgs {
  readonly args?: readonly Arg[]
  readonly options?: Readonly<Record<string, Option>>
  /** Prints a table, which --csv prints for a spreadsheet. */
  readonly csv?: true
}

/** Options of every command. */
const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { kind: 'flag', summary: 'print the response as JSON' },
  url: { kind: 'text', value: 'URL', summary: 'address of the service (default: VENDOPS_URL, PUBLIC_URL or PORT)' },
  profile: { kind: 'text', value: 'NAME', summary: 'a service stored by vendops login (default: VENDOPS_PROFILE)' },
  help: { kind: 'flag', summary: 'show this help' },
}

const CSV: Option = { kind: 'flag', summary: 'print the table as CSV, for a spreadsheet' }

export const optionsOf = (command: CommandArgs): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...(command.csv ? { csv: CSV } : {}),
  ...COMMON_OPTIONS,
})

export type ParsedArgs = ReturnType<typeof parseCommandArgs>

const isFlag = (option: Option) => option.kind === 'flag'

/** Turns the errors of `parseArgs` into usage errors. */
function parseArgv(argv: readonly string[], options: Readonly<Record<string, Option>>) {
  const described = Object.entries(options).map(([name, option]) => [
    name,
    { type: isFlag(option) ? 'boolean' : 'string', multiple: option.kind === 'list' },
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

export function parseCommandArgs(command: CommandArgs, argv: readonly string[]) {
  const options = optionsOf(command)
  const parsed = parseArgv(argv, options)
  const { positionals } = parsed
  const values = parsed.values as Readonly<Record<string, string | boolean | readonly string[] | undefined>>
  const expected = command.args ?? []

  // --help works even when the rest of the command line is wrong.
  if (values['help'] !== true) {
    expected.forEach((arg, i) => {
      if (!arg.optional && positionals[i] === undefined) throw new UsageError(`<${arg.name}> is missing`)
    })
    const surplus = expected.at(-1)?.many ? undefined : positionals[expected.length]
    if (surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`)
    for (const [name, { choices }] of Object.entries(options)) {
      const value = values[name]
      if (choices && typeof value === 'string' && !choices.includes(value))
        throw new UsageError(`--${name} must be one of ${choices.join(', ')}`)
    }
  }

  const indexOf = (name: string) => expected.findIndex((arg) => arg.name === name)
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  return {
    /** A required positional argument. */
    arg: (name: string): string => positionals[indexOf(name)] ?? '',
    optional: (name: string): string | undefined => positionals[indexOf(name)],
    rest: (name: string): readonly string[] => positionals.slice(indexOf(name)),
    flag: (name: string): boolean => values[name] === true,
    text,
    list: (name: string): readonly string[] => (Array.isArray(values[name]) ? (values[name] as readonly string[]) : []),
    wholeNumber(name: string, fallback: number, min: number, max: number): number {
      const value = text(name)
      if (value === undefined) return fallback
      const n = Number(value)
      if (!/^\d+$/.test(value) || n < min || n > max)
        throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`)
      return n
    },
  }
}
