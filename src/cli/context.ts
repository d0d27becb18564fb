/** What a command works with: the client, and the few ways to say something. */
import type { Client } from '../client/index.ts'
import type { Message } from '../contract/common.ts'
import type { Environment } from './connect.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { progress } from './progress.ts'
import type { Progress } from './progress.ts'
import { fields, table } from './table.ts'
import type { Column } from './table.ts'
import type { Terminal } from './terminal.ts'
import { plain, wrap } from './width.ts'

const INDENT = '    '

export interface ContextNeeds {
  readonly terminal: Terminal
  readonly env: Environment
  readonly json: boolean
  readonly url: string | undefined
  readonly signal: AbortSignal
  readonly connect: () => Client
}

export function contextOf(needs: ContextNeeds) {
  const { terminal, json } = needs
  const { style, width } = terminal
  let client: Client | undefined
  const say = async (lines: readonly string[]) => {
    if (!json && lines.length > 0) await terminal.out(`${lines.join('\n')}\n`)
  }

  return {
    ...needs,
    style,
    get client(): Client {
      return (client ??= needs.connect())
    },

    /** For programs: the answer as it came. For people nothing; they get what the command says besides. */
    async data(value: unknown): Promise<void> {
      if (json) await terminal.out(`${JSON.stringify(value, null, 2)}\n`)
    },
    say,
    heading: (text: string) => say([style.bold(plain(text))]),
    /** `under` adds a line of words below each row. */
    table<T>(rows: readonly T[], columns: readonly Column<T>[], under?: (row: T) => string): Promise<void> {
      const [heading = '', ...lines] = table(rows, columns, { style, width })
      const room = width === undefined ? Infinity : width - INDENT.length
      const below = (i: number) =>
        wrap(plain(under?.(rows[i] as T) ?? ''), room).map((words) => style.dim(INDENT + words))
      return say([heading, ...lines.flatMap((line, i) => (under ? [line, ...below(i)] : [line]))])
    },
    fields: (pairs: Parameters<typeof fields>[0]) => say(fields(pairs, { style, width })),

    /** What the answer has to tell besides its data. */
    messages(messages: readonly Message[] | undefined): void {
      if (json) return
      for (const { type, code, content, path } of messages ?? []) {
        const paint = type === 'error' ? style.red : type === 'warning' ? style.yellow : style.dim
        const place = path === undefined ? '' : style.dim(` (${plain(path)})`)
        terminal.err(`${paint(plain(code))}  ${plain(content)}${place}\n`)
      }
    },

    /** The next sensible command: on standard error, so that it never gets into a pipe. */
    next(command: string, why: string): void {
      if (!json) terminal.err(style.dim(`→ vendops ${plain(command)}   ${why}\n`))
    },

    /** A person types exactly this to go on; a script says --yes. */
    async confirm(question: string, accepted: (answer: string) => boolean, yes: boolean): Promise<void> {
      if (yes) return
      const answer = await terminal.ask(style.bold(question))
      if (answer === undefined)
        throw new CommandFailure('this needs a confirmation, and nobody is at the terminal', {
          exit: EXIT.declined,
          hint: 'add --yes when a script has already made sure',
        })
      if (!accepted(answer.trim())) throw new CommandFailure('not confirmed; nothing was sent', { exit: EXIT.declined })
    },

    /** Long work: drawn where somebody looks, silent elsewhere. */
    async during<T>(what: string, work: (progress: Progress) => Promise<T>): Promise<T> {
      const drawn = progress(terminal, what, !json && terminal.watched)
      try {
        return await work(drawn)
      } finally {
        drawn.end()
      }
    },
  }
}

export type Context = ReturnType<typeof contextOf>
