/** Tables as text: CSV from a file, or cells pasted from a spreadsheet, which separates them with tabs. */

/** Titles and dates stand above a heading. */
const HEADING_WITHIN = 30

/**
 * The first line is the heading and decides the separator: tab, semicolon or comma. Where `isHeading` knows one below it, that
 * one is the heading. Blank lines are skipped.
 */
export function readDelimited(text: string, isHeading?: (cells: readonly string[]) => boolean) {
  const source = text.replace(/^\uFEFF/, '')
  const first = separatorOf(source.slice(0, source.search(/\r|\n|$/)))
  const linesBy = (separator: string) =>
    splitLines(source, separator).filter(({ cells }) => cells.some((cell) => cell !== ''))
  const [known] = isHeading
    ? [first, '\t', ';', ','].flatMap((separator) => {
        const all = linesBy(separator)
        const at = all.slice(0, HEADING_WITHIN).findIndex(({ cells }) => isHeading(cells))
        return at === -1 ? [] : [all.slice(at)]
      })
    : []
  const [heading, ...lines] = known ?? linesBy(first)
  const headings = (heading?.cells ?? []).map((cell) => cell.toLowerCase())
  return {
    headings,
    rows: lines.map(({ line, cells }) => ({
      /** Of the text, from 1. */
      line,
      /** By heading, in lower case; trimmed. Missing cells are empty. */
      cells: Object.fromEntries(headings.map((name, i) => [name, cells[i] ?? ''])),
    })),
  }
}

const separatorOf = (heading: string): string =>
  heading.includes('\t') ? '\t' : heading.includes(';') && !heading.includes(',') ? ';' : ','

interface Line {
  readonly line: number
  readonly cells: string[]
}

/** A quoted cell may hold separators and line ends; two quotes in it are one. */
function splitLines(text: string, separator: string): Line[] {
  const lines: Line[] = []
  let line = 1
  let cells: string[] = []
  let startedAt = 1
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    cells.push(cell.trim())
    cell = ''
  }
  const endLine = () => {
    endCell()
    lines.push({ line: startedAt, cells })
    cells = []
    startedAt = line
  }
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    const isLineEnd = char === '\n' || (char === '\r' && text[i + 1] !== '\n')
    if (isLineEnd) line++
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text[i + 1] === '"') cell += text[++i]!
      else isQuoted = false
    } else if (char === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (char === separator) endCell()
    else if (isLineEnd) endLine()
    else if (char !== '\r') cell += char
  }
  if (cell !== '' || cells.length > 0) endLine()
  return lines
}
