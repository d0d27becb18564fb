/** Where a command's words go, and where a person's answers come from. Tests put a memory in its place. */
import { createInterface } from 'node:readline/promises'
import { styleOf, wantsColour } from './style.ts'
import type { Style } from './style.ts'

export interface Terminal {
  out(text: string): void | Promise<void>
  err(text: string): void
  /** Undefined when nobody is there to answer. */
  ask(question: string): Promise<string | undefined>
  readonly input: AsyncIterable<string | Uint8Array>
  readonly style: Style
  /** Columns of the screen; undefined when the output is a file or a pipe. */
  readonly width: number | undefined
  /** True when standard error is looked at: progress may be drawn there. */
  readonly watched: boolean
}

export function processTerminal(env: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdin, stdout, stderr } = process
  return {
    // Waiting for the drain keeps a slow pipe from filling the memory.
    out: (text) =>
      stdout.write(text) ? undefined : new Promise<void>((resolve) => stdout.once('drain', () => resolve())),
    err: (text) => void stderr.write(text),
    async ask(question) {
      if (!stdin.isTTY || !stderr.isTTY) return undefined
      const lines = createInterface({ input: stdin, output: stderr })
      try {
        return await lines.question(question)
      } finally {
        lines.close()
      }
    },
    input: stdin as AsyncIterable<Uint8Array>,
    style: styleOf(wantsColour(env, stdout.isTTY)),
    width: stdout.isTTY ? stdout.columns : undefined,
    watched: stderr.isTTY,
  }
}
