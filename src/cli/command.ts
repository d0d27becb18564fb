/** The description of a command. Help, completion and argument parsing are all derived from it. */
import type { Context } from './context.ts'
import type { Exit } from './exit.ts'
import type { ParsedArgs } from './parsed-args.ts'

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

/** Sections of the help, in the order they are shown. */
export const GROUPS = ['Route', 'Stock and prices', 'Purchasing', 'Approvals', 'On the server', 'Tools'] as const
export type Group = (typeof GROUPS)[number]

export interface Command {
  /** One word or two: `sync`, `approvals approve`. */
  readonly name: string
  /** A second name: `approvals` for `approvals list`. */
  readonly alias?: string
  readonly summary: string
  readonly args?: readonly Arg[]
  readonly options?: Readonly<Record<string, Option>>
  readonly details?: string
  /** More sections of the help, each a heading with names and texts. */
  readonly sections?: () => readonly (readonly [heading: string, pairs: readonly (readonly [string, string])[]])[]
  /** Prints a table, which --csv prints for a spreadsheet. */
  readonly csv?: true
  /** A command line and what it does. */
  readonly examples: readonly (readonly [string, string])[]
  readonly run: (context: Context, args: ParsedArgs) => Promise<Exit | void>
}

/** A command in its section of the help. */
export interface GroupedCommand extends Command {
  readonly group: Group
}

/** Options of every command. */
const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { kind: 'flag', summary: 'print the response as JSON' },
  url: { kind: 'text', value: 'URL', summary: 'address of the service (default: VENDOPS_URL, PUBLIC_URL or PORT)' },
  profile: { kind: 'text', value: 'NAME', summary: 'a service stored by vendops login (default: VENDOPS_PROFILE)' },
  help: { kind: 'flag', summary: 'show this help' },
}

const CSV: Option = { kind: 'flag', summary: 'print the table as CSV, for a spreadsheet' }

export const optionsOf = (command: Command): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...(command.csv ? { csv: CSV } : {}),
  ...COMMON_OPTIONS,
})

export const LIMIT: Option = { kind: 'number', value: 'N', summary: 'max. rows (default 20)' }
export const YES: Option = { kind: 'flag', summary: 'skip confirmation' }
