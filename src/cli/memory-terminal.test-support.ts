/** A terminal that remembers what was said to it and answers what a test scripted. */
import { styleOf } from './style.ts'
import type { Terminal } from './terminal.ts'

export interface MemoryTerminal extends Terminal {
  readonly written: string
  readonly complained: string
  /** Both, and the typed answers, in the order a screen shows them. */
  readonly transcript: string
  readonly questions: readonly string[]
}

/** Without answers nobody is there. */
export function memoryTerminal(
  answers: string[] = [],
  { width, input = [] }: { readonly width?: number; readonly input?: readonly string[] } = {},
): MemoryTerminal {
  let written = ''
  let complained = ''
  let transcript = ''
  const questions: string[] = []
  return {
    get written() {
      return written
    },
    get complained() {
      return complained
    },
    get transcript() {
      return transcript
    },
    questions,
    out(text) {
      written += text
      transcript += text
    },
    err(text) {
      complained += text
      transcript += text
    },
    ask: async (question) => {
      questions.push(question)
      const answer = answers.shift()
      transcript += `${question}${answer ?? ''}\n`
      return answer
    },
    input: (async function* () {
      yield* input
    })(),
    style: styleOf(false),
    width,
    watched: false,
  }
}
