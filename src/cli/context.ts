/** What a command works with: the client and the functions that write output. */
import type { Client } from '../client/index.ts'
import type { Message } from '../contract/common.ts'
import type { Environment } from './profiles.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { type Progress, startProgress } from './progress.ts'
import { type Column, csvTable, fields, table } from './table.ts'
import type { Style } from './style.ts'
import type { Terminal } from './terminal.ts'
import { plainText, wrap } from './width.ts'

const INDENT = '    '

interface ContextDeps {
  readonly terminal: Terminal
  readonly env: Environment
  readonly json: boolean
  readonly csv: boolean
  readonly url: string | undefined
  readonly signal: AbortSignal
  readonly profile: string | undefined
  readonly connect: () => Client
  /** Tests only: instead of a client for this address. */
  readonly connectTo?: ((url: string, token: string) => Client) | undefined
}

/** Notes of one kind that are written out. */
const NOTES_SHOWN = 5

export function messageLine({ type, code, content, path }: Message, style: Style): string {
  const paint = type === 'error' ? style.red : type === 'warning' ? style.yellow : style.dim
  return `${paint(plainText(code))}  ${plainText(content)}${path === undefined ? '' : style.dim(` (${plainText(path)})`)}`
}

export function createContext(deps: ContextDeps) {
  const { terminal, json, csv } = deps
  const { style, width } = terminal
  let client: Client | undefined
  const writeLines = async (lines: readonly string[]) => {
    if (!json && !csv && lines.length > 0) await terminal.out(`${lines.join('\n')}\n`)
  }

  /** Writes the response with --json, nothing otherwise. All other output is left out with --json. */
  const writeJson = async (value: unknown) => {
    if (json) await terminal.out(`${JSON.stringify(value, null, 2)}\n`)
  }
  /** Writes the messages of a response to standard error. */
  const writeMessages = (messages: readonly Message[] = []) => {
    if (json) return
    const notes = messages.filter(({ type }) => type !== 'error')
    for (const message of messages.filter(({ type }) => type === 'error'))
      terminal.err(`${messageLine(message, style)}\n`)
    // A hundred notes of one kind would bury the others.
    for (const [code, own] of Map.groupBy(notes, (note) => note.code)) {
      const shown = own.length > NOTES_SHOWN ? own.slice(0, NOTES_SHOWN) : own
      for (const message of shown) terminal.err(`${messageLine(message, style)}\n`)
      const more = own.length - shown.length
      if (more > 0) terminal.err(style.dim(`${code}: ${more} more; --json shows all\n`))
    }
  }

  return {
    ...deps,
    style,
    get client(): Client {
      return (client ??= deps.connect())
    },

    writeJson,
    writeLines,
    /**
     * `none` is printed instead of an empty table; a file has its headings all the same. `remark` adds a text below each row;
     * in CSV there are none.
     */
    async writeTable<T>(
      rows: readonly T[],
      columns: readonly Column<T>[],
      { none, remark }: { readonly none?: string; readonly remark?: ((row: T) => string) | undefined } = {},
    ): Promise<void> {
      if (csv) return terminal.out(csvTable(rows, columns))
      if (rows.length === 0 && none !== undefined) return writeLines([none])
      const [heading = '', ...lines] = table(rows, columns, { style, width })
      const room = width === undefined ? Infinity : width - INDENT.length
      const remarkLines = (i: number) => {
        const text = plainText(remark?.(rows[i] as T) ?? '')
        return text === '' ? [] : wrap(text, room).map((line) => style.dim(INDENT + line))
      }
      await writeLines([heading, ...lines.flatMap((line, i) => (remark ? [line, ...remarkLines(i)] : [line]))])
    },
    writeFields: (pairs: Parameters<typeof fields>[0]) => writeLines(fields(pairs, { style, width })),

    writeMessages,
    /** The response with --json, its messages otherwise. */
    async writeReply(response: { readonly messages?: readonly Message[] | undefined }): Promise<void> {
      await writeJson(response)
      writeMessages(response.messages)
    },

    /** Suggests the next command on standard error, so that it never gets into a pipe. */
    suggest(command: string, why: string): void {
      if (!json && !csv) terminal.err(style.dim(`→ vendops ${plainText(command)}   ${why}\n`))
    },

    /** Asks for a typed confirmation; --yes skips it. */
    async confirm(question: string, isAccepted: (answer: string) => boolean, yes: boolean): Promise<void> {
      if (yes) return
      const answer = await terminal.ask(style.bold(question))
      if (answer === undefined)
        throw new CommandFailure('confirmation required, but this is not an interactive terminal', {
          exit: EXIT.declined,
          hint: 'add --yes to confirm from a script',
        })
      if (!isAccepted(answer.trim()))
        throw new CommandFailure('not confirmed; nothing was sent', { exit: EXIT.declined })
    },

    /** Shows progress while the work runs, on an interactive terminal only. */
    async withProgress<T>(what: string, work: (progress: Progress) => Promise<T>): Promise<T> {
      const progress = startProgress(terminal, what, !json && terminal.isInteractive)
      try {
        return await work(progress)
      } finally {
        progress.end()
      }
    },
  }
}

export type Context = ReturnType<typeof createContext>
