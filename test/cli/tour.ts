/** A terminal session in a document: commands after `$`, what they say below. Played again, it must say the same. */
import assert from 'node:assert/strict'

export interface Step {
  /** As written in the document, without the `$`. */
  readonly command: string
  readonly expected: readonly string[]
  /** `# exit 3` at the end of the command line. */
  readonly exit: number
  /** What is typed where it asks. */
  readonly answers: readonly string[]
  /** Lines of the document that hold the expected output, from and up to. */
  readonly from: number
  readonly to: number
}

const ASKED = /^(Type .*: )(.+)$/

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
    const answers = expected.flatMap((text) => ASKED.exec(text)?.[2] ?? [])
    steps.push({ command, expected, exit: Number(exit), answers, from: i + 1, to })
  }
  return steps
}

/** Words as a simple shell splits them. */
export const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

/** Numbers may differ from play to play, and which goods a plan names and why; the shape may not. */
function shape(line: string): string {
  if (/^M\d+-G-\d+ /.test(line)) return 'a slot'
  if (line.startsWith('    ')) return 'a remark'
  return line.replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ').trim()
}

const IDS = /\b(?:(?:dec|run)-\d{4}[\d-]+\d|po_\d+_\d+)\b/g
const IDS_OR_RANKS = /\b(?:(?:dec|run)-[\d-]*\d|po_\d+_\d+)\b/g

/** The ids of a text, each once, in the order they are first told. */
export const idsIn = (text: string): string[] => [...new Set(text.match(IDS) ?? [])]

/** For a document whose answers are written anew: its n-th decision is the n-th of this play; `dec-1` names it, too. */
export function byRank(command: string, document: string, played: string): string {
  return command.replaceAll(IDS_OR_RANKS, (id) => {
    const [kind = ''] = id.split(/[-_]/)
    const own = (text: string) => idsIn(text).filter((one) => one.startsWith(kind))
    const rank = /^[a-z]+-\d$/.test(id) ? Number(id.split('-')[1]) - 1 : own(document).indexOf(id)
    return own(played)[rank] ?? id
  })
}

/** Runs of lines between the `…` that stand for any number of lines. */
function chunks(lines: readonly string[]): string[][] {
  const found: string[][] = [[]]
  for (const line of lines)
    if (line.trim() === '…') found.push([])
    else found.at(-1)?.push(line)
  return found
}

/**
 * Every line is there, in order and without a gap but for `…`: the first chunk at the beginning, the last at the end.
 * Learns which id of the document is which id of this play.
 */
export function compare(expected: readonly string[], actual: readonly string[], ids: Map<string, string>): void {
  const all = chunks(expected)
  const said = actual.map(shape)
  let at = 0
  all.forEach((chunk, i) => {
    const wanted = chunk.map(shape)
    const fits = (from: number) => wanted.every((line, j) => said[from + j] === line)
    const last = i === all.length - 1
    let from = i > 0 && last ? said.length - chunk.length : at
    if (i > 0 && !last) while (from < said.length && !fits(from)) from += 1
    assert.deepEqual(
      said.slice(from, last ? undefined : from + chunk.length),
      wanted,
      `${actual.join('\n')}\nIf this is right: UPDATE=1`,
    )
    assert.ok(from >= at, 'said in another order')
    chunk.forEach((line, j) => {
      const played = actual[from + j]?.match(IDS) ?? []
      line.match(IDS)?.forEach((id, n) => ids.set(id, played[n] ?? id))
    })
    at = from + chunk.length
  })
}

const SHOWN = 14
const HEAD = 9
const TAIL = 3

/** Long answers are told by their beginning and end, and by what a person typed in between. */
export function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= SHOWN) return lines
  const typed = lines.slice(HEAD, -TAIL).filter((line) => ASKED.test(line))
  return [...lines.slice(0, HEAD), '…', ...typed.flatMap((line) => [line, '…']), ...lines.slice(-TAIL)]
}
