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
  const questions: string[] = []
  const written = { stdout: '', stderr: '', transcript: '' }
  const write = (to: 'stdout' | 'stderr', text: string) => {
    written[to] += text
    written.transcript += text
  }
  return Object.assign(written, {
    questions,
    out: (text: string) => write('stdout', text),
    err: (text: string) => write('stderr', text),
    ask: async (question: string) => {
      questions.push(question)
      const answer = answers.shift()
      written.transcript += `${question}${answer ?? ''}\n`
      return answer
    },
    askSecret: async () => answers.shift(),
    input: (async function* () {
      yield* input
    })(),
    style: styleOf(false),
    width,
    isInteractive: false,
  })
}
