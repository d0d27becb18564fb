/** The description of a command. Help, completion and argument parsing are all derived from it. */
import type { Context } from './context.ts'
import type { Exit } from './exit.ts'
import type { CommandArgs, Option, ParsedArgs } from './parsed-args.ts'

/** Sections of the help, in the order they are shown. */
export const GROUPS = ['Route', 'Stock and prices', 'Purchasing', 'Approvals', 'On the server', 'Tools'] as const
export type Group = (typeof GROUPS)[number]

export interface Command extends CommandArgs {
  /** One word or two: `sync`, `approvals approve`. */
  readonly name: string
  /** A second name: `approvals` for `approvals list`. */
  readonly alias?: string
  readonly summary: string
  readonly details?: string
  /** More sections of the help, each a heading with names and texts. */
  readonly sections?: () => readonly (readonly [heading: string, pairs: readonly (readonly [string, string])[]])[]
  /** A command line and what it does. */
  readonly examples: readonly (readonly [string, string])[]
  readonly run: (context: Context, args: ParsedArgs) => Promise<Exit | void>
}

/** A command in its section of the help. */
export interface GroupedCommand extends Command {
  readonly group: Group
}

export const LIMIT: Option = { kind: 'number', value: 'N', summary: 'max. rows (default 20)' }
export const YES: Option = { kind: 'flag', summary: 'skip confirmation' }
