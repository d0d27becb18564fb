/** A terminal that remembers what was said to it and answers what a test scripted. */
import { styleOf } from './style.ts'
import type { Terminal } from './terminal.ts'

export interface MemoryTerminal extends Terminal {
  readonly written: string
  readonly complained: string
  readonly questions: readonly string[]
}

/** Without answers nobody is there. */
export function memoryTerminal(
  answers: string[] = [],
  { width, input = [] }: { readonly width?: number; readonly input?: readonly string[] } = {},
): MemoryTerminal {
  let written = ''
  let complained = ''
  const questions: string[] = []
  return {
    get written() {
      return written
    },
    get complained() {
      return complained
    },
    questions,
    out: (text) => void (written += text),
    err: (text) => void (complained += text),
    ask: async (question) => {
      questions.push(question)
      return answers.shift()
    },
    input: (async function* () {
      yield* input
    })(),
    style: styleOf(false),
    width,
    watched: false,
  }
}
