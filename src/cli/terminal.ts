/** Input and output of a command. Tests replace it with a terminal in memory. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { type Style, styleOf, wantsColour } from './style.ts'

export interface Terminal {
  out(text: string): void | Promise<void>
  err(text: string): void
  /** Undefined when the terminal is not interactive. */
  ask(question: string): Promise<string | undefined>
  /** The same, without showing what is typed. */
  askSecret(question: string): Promise<string | undefined>
  readonly input: AsyncIterable<string | Uint8Array>
  readonly style: Style
  /** Columns of the screen; undefined when the output is a file or a pipe. */
  readonly width: number | undefined
  /** True when standard error is a terminal, so progress can be shown. */
  readonly isInteractive: boolean
}

export function processTerminal(env: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdin, stdout, stderr } = process
  return {
    // Waits for `drain`, so that a slow reader does not fill the memory.
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
    async askSecret(question) {
      if (!stdin.isTTY || !stderr.isTTY) return undefined
      stderr.write(question)
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
      const lines = createInterface({ input: stdin, output: silent, terminal: true })
      try {
        return await lines.question('')
      } finally {
        lines.close()
        stderr.write('\n')
      }
    },
    input: stdin as AsyncIterable<Uint8Array>,
    style: styleOf(wantsColour(env, stdout.isTTY)),
    width: stdout.isTTY ? stdout.columns : undefined,
    isInteractive: stderr.isTTY,
  }
}
