/** Reads the terminal session of a document and compares it with the output of running it again. */
import assert from 'node:assert/strict'

export interface Step {
  /** As written in the document, without the `$`. */
  readonly command: string
  readonly expected: readonly string[]
  /** `# exit 3` at the end of the command line. */
  readonly exit: number
  /** Answers to the questions of the command. */
  readonly answers: readonly string[]
  /** Range of document lines that hold the expected output. */
  readonly from: number
  readonly to: number
}

const QUESTION = /^(Type .*: )(.+)$/

export function stepsIn(document: string): Step[] {
  const steps: Step[] = []
  const lines = document.split('\n')
  let inside = false
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (line === '```console') inside = true
    else if (line === '```') inside = false
    if (!inside || !line.startsWith('$ ')) continue
    let to = i + 1
    while (to < lines.length && !lines[to]?.startsWith('$ ') && lines[to] !== '```') to += 1
    const expected = lines.slice(i + 1, to)
    const [, command = '', exit = '0'] = /^\$ (.*?)(?:\s+# exit (\d+))?$/.exec(line) ?? []
    const answers = expected.flatMap((text) => QUESTION.exec(text)?.[2] ?? [])
    steps.push({ command, expected, exit: Number(exit), answers, from: i + 1, to })
  }
  return steps
}

/** Splits a command line like a simple shell. */
export const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

/** Numbers, and the products and reasons of a plan, may differ between runs; the shape may not. */
function shape(line: string): string {
  if (/^M\d+-G-\d+ /.test(line)) return 'a slot'
  if (line.startsWith('    ')) return 'a remark'
  return line.replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ').trim()
}

const IDS = /\b(?:(?:dec|run)-\d{4}[\d-]+\d|po_\d+_\d+)\b/g
const IDS_OR_RANKS = /\b(?:(?:dec|run)-[\d-]*\d|po_\d+_\d+)\b/g

/** The distinct ids of a text in order of appearance. */
const idsIn = (text: string): string[] => [...new Set(text.match(IDS) ?? [])]

/** With UPDATE=1: replaces the n-th decision id of the document (or `dec-n`) by the n-th id of this run. */
export function byRank(command: string, document: string, transcript: string): string {
  return command.replaceAll(IDS_OR_RANKS, (id) => {
    const [kind = ''] = id.split(/[-_]/)
    const own = (text: string) => idsIn(text).filter((one) => one.startsWith(kind))
    const rank = /^[a-z]+-\d$/.test(id) ? Number(id.split('-')[1]) - 1 : own(document).indexOf(id)
    return own(transcript)[rank] ?? id
  })
}

/** Splits lines at `…`, which stands for any number of lines. */
function chunks(lines: readonly string[]): string[][] {
  const found: string[][] = [[]]
  for (const line of lines)
    if (line.trim() === '…') found.push([])
    else found.at(-1)?.push(line)
  return found
}

/**
 * Checks that all expected lines are there, in order and without gaps except at `…`. Records in `ids` which id of the
 * document is which id of this run.
 */
export function compare(expected: readonly string[], actual: readonly string[], ids: Map<string, string>): void {
  const all = chunks(expected)
  const actualShapes = actual.map(shape)
  let at = 0
  all.forEach((chunk, i) => {
    const wanted = chunk.map(shape)
    const fits = (from: number) => wanted.every((line, j) => actualShapes[from + j] === line)
    const last = i === all.length - 1
    let from = i > 0 && last ? actualShapes.length - chunk.length : at
    if (i > 0 && !last) while (from < actualShapes.length && !fits(from)) from += 1
    assert.deepEqual(
      actualShapes.slice(from, last ? undefined : from + chunk.length),
      wanted,
      `${actual.join('\n')}\nIf this is correct, run with UPDATE=1`,
    )
    assert.ok(from >= at, 'the lines are in another order')
    chunk.forEach((line, j) => {
      const actualIds = actual[from + j]?.match(IDS) ?? []
      line.match(IDS)?.forEach((id, n) => ids.set(id, actualIds[n] ?? id))
    })
    at = from + chunk.length
  })
}

const SHOWN = 9
const HEAD = 5
const TAIL = 2

/** Shortens long output to its beginning, its end and the typed answers. */
export function shortenOutput(lines: readonly string[]): readonly string[] {
  if (lines.length <= SHOWN) return lines
  const questions = lines.slice(HEAD, -TAIL).filter((line) => QUESTION.test(line))
  return [...lines.slice(0, HEAD), '…', ...questions.flatMap((line) => [line, '…']), ...lines.slice(-TAIL)]
}
