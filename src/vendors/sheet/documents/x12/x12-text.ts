/**
 * An X12 interchange as text: finds the separators, splits it into transaction sets and checks what the envelope states
 * about itself (control numbers and counts), so that a file that was cut or damaged is noticed.
 */
import { UnreadableReply } from '../../../upstream/read-json.ts'

export interface X12Segment {
  readonly id: string
  /** `elements[1]` is element 01 of the segment; a missing one is undefined. */
  readonly elements: readonly string[]
}

export interface TransactionSet {
  /** `855`, `856`, `997`. */
  readonly type: string
  /** Without ST and SE. */
  readonly segments: readonly X12Segment[]
  /** Of the interchange (ISA06, ISA08), without the blanks that fill them. */
  readonly sender?: string
  readonly receiver?: string
}

/** Throws UnreadableReply when the interchange is not whole. */
export function readInterchange(bytes: Uint8Array): readonly TransactionSet[] {
  const all = splitSegments(decode(bytes))
  const [isa, ...rest] = all
  const iea = rest.pop()
  if (isa?.id !== 'ISA' || iea?.id !== 'IEA') throw new UnreadableReply('the interchange has no end (IEA)')
  expectSame('the control number of ISA and IEA', isa.elements[13], iea.elements[2])
  const groups = splitBy(rest, 'GS', 'GE')
  expectSame('the number of groups', String(groups.length), trimZeros(iea.elements[1]))
  return groups.flatMap(({ first, body, last }) => {
    expectSame('the control number of GS and GE', first.elements[6], last.elements[2])
    const sets = splitBy(body, 'ST', 'SE')
    expectSame('the number of transaction sets', String(sets.length), trimZeros(last.elements[1]))
    return sets.map((set) => {
      expectSame('the control number of ST and SE', set.first.elements[2], set.last.elements[2])
      expectSame('the number of segments', String(set.body.length + 2), trimZeros(set.last.elements[1]))
      return {
        type: set.first.elements[1] ?? '',
        segments: set.body,
        sender: isa.elements[6]?.trim() ?? '',
        receiver: isa.elements[8]?.trim() ?? '',
      }
    })
  })
}

/** UTF-8, else the Latin letters that older systems write. Nothing that counts is outside of ASCII. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** ISA has sixteen elements of fixed width; the separators stand at fixed places in it. */
const ISA_LENGTH = 106

function splitSegments(raw: string): readonly X12Segment[] {
  const text = raw.trimStart()
  const separator = text[3] ?? ''
  const terminator = text[ISA_LENGTH - 1] ?? ''
  const isHeader = text.startsWith('ISA') && text.slice(0, ISA_LENGTH - 1).split(separator).length === 17
  // A terminator has to be a sign: a letter or a digit means that the header is damaged.
  if (!isHeader || /[\w ]/.test(separator) || /[\w ]/.test(terminator) || separator === terminator)
    throw new UnreadableReply('this is not an X12 interchange')
  const pieces = text.split(terminator)
  const rest = pieces.pop()
  // Line ends after a terminator are decoration; where the line end is the terminator, the last one may be missing.
  if (rest !== undefined && rest.trim() !== '') {
    if (terminator !== '\n' && terminator !== '\r') throw new UnreadableReply('the last segment has no end')
    pieces.push(rest)
  }
  return pieces.flatMap((piece) => {
    const elements = piece
      .replace(/^[\r\n]+/, '')
      .replace(/\r+$/, '')
      .split(separator)
    if (elements.length === 1 && elements[0]?.trim() === '') return []
    const id = elements[0] ?? ''
    if (!/^[A-Z][A-Z0-9]{1,2}$/.test(id)) throw new UnreadableReply('a segment has no name')
    return [{ id, elements }]
  })
}

/** Everything lies between an opening and a closing segment, and nothing in between is left over. */
function splitBy(segments: readonly X12Segment[], open: string, close: string) {
  const found: { first: X12Segment; body: readonly X12Segment[]; last: X12Segment }[] = []
  let first: X12Segment | undefined
  let body: X12Segment[] = []
  for (const segment of segments) {
    if (segment.id === open && !first) {
      first = segment
      body = []
    } else if (segment.id === close && first) {
      found.push({ first, body, last: segment })
      first = undefined
    } else if (first) {
      body.push(segment)
    } else {
      throw new UnreadableReply(`${segment.id} stands outside of ${open} and ${close}`)
    }
  }
  if (first) throw new UnreadableReply(`${open} has no ${close}`)
  return found
}

function expectSame(what: string, one: string | undefined, other: string | undefined): void {
  if (one === undefined || one !== other) throw new UnreadableReply(`${what} does not agree`)
}

const trimZeros = (count: string | undefined): string | undefined => count?.replace(/^0+(?=\d)/, '')
