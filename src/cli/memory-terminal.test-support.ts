/** A terminal in memory: records the output and gives the answers of a test. */
import { styleOf } from './style.ts'
import type { Terminal } from './terminal.ts'

interface MemoryTerminal extends Terminal {
  readonly stdout: string
  readonly stderr: string
  /** Both outputs and the typed answers, in the order a screen shows them. */
  readonly transcript: string
  readonly questions: readonly string[]
}

/** Without answers it behaves like a terminal that is not interactive. */
export function memoryTerminal(
  answers: string[] = [],
  { width, input = [] }: { readonly width?: number; readonly input?: readonly string[] } = {},
): MemoryTerminal {
  let written = ''
  let complained = ''
  let transcript = ''
  const questions: string[] = []
  return {
    get stdout() {
      return written
    },
    get stderr() {
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
    askSecret: async () => answers.shift(),
    input: (async function* () {
      yield* input
    })(),
    style: styleOf(false),
    width,
    isInteractive: false,
  }
}
