/** A command as data: help, completion and parsing all read the same description. */
import type { Context } from './context.ts'
import type { Exit } from './exit.ts'
import type { ParsedArgs } from './parsed-args.ts'

export interface Arg {
  readonly name: string
  readonly optional?: true
  /** Takes all that follow; the last one only. */
  readonly many?: true
}

export interface Option {
  readonly kind: 'flag' | 'text' | 'list' | 'number'
  /** What stands for the value in the help. */
  readonly value?: string
  readonly summary: string
  readonly choices?: readonly string[]
}

export type Group = 'Look' | 'Stock and prices' | 'Buy' | 'Decide' | 'On the host' | 'Tools'

export interface Command {
  /** One word or two: `sync`, `approvals approve`. */
  readonly name: string
  /** Also found under this name: `approvals` for `approvals list`. */
  readonly alias?: string
  readonly group: Group
  readonly summary: string
  readonly args?: readonly Arg[]
  readonly options?: Readonly<Record<string, Option>>
  readonly details?: string
  /** What to type, and what it does. */
  readonly examples: readonly (readonly [string, string])[]
  readonly run: (context: Context, given: ParsedArgs) => Promise<Exit | void>
}

/** Every command has these. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { kind: 'flag', summary: 'the answer as JSON, for programs' },
  url: { kind: 'text', value: 'URL', summary: 'where the service is (VENDOPS_URL, PUBLIC_URL, PORT)' },
  help: { kind: 'flag', summary: 'this help' },
}

export const optionsOf = (command: Command): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...COMMON_OPTIONS,
})

/** `--limit` as in most listings. */
export const LIMIT: Option = { kind: 'number', value: 'N', summary: 'at most this many (20)' }
export const YES: Option = { kind: 'flag', summary: 'do not ask; for scripts' }
