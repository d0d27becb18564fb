/**
 * The XML of a workbook, read as it is unpacked: elements and texts are handed over one after another and none is kept.
 * Declarations of a document's own are refused, so it knows five entities, fetches nothing and cannot grow while it is read.
 */
import { SaxesParser } from 'saxes'
import { type Archive, UnreadableWorkbook } from './zip-archive.ts'

export interface XmlReader {
  /** Names are without their prefix: makers choose their own. Attributes too. */
  open?(name: string, attribute: (name: string) => string | undefined): void
  text?(text: string): void
  close?(name: string): void
}

/** Workbooks nest some ten levels. */
const DEPTH_MAX = 100
/** 2,000,000 cells with a value each, rows, and as many cells again that are blank. */
const ELEMENTS_MAX = 6_000_000
/** No cell of a spreadsheet program has more than 32,767 characters; no tag either. */
const RUN_MAX = 200_000

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1)

export function readPart(archive: Archive, part: string, reader: XmlReader): void {
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false })
  const unreadable = (problem: string): never => {
    throw new UnreadableWorkbook(`the part ${part} of the workbook ${problem}`)
  }
  let depth = 0
  let elements = 0
  parser.on('error', ({ message }) => unreadable(`is not well-formed XML (${message.slice(0, 100)})`))
  parser.on('doctype', () => unreadable('brings declarations of its own'))
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    elements += 1
    if (elements > ELEMENTS_MAX) unreadable('has too many elements')
    if (depth > DEPTH_MAX) unreadable('is nested too deep')
    reader.open?.(withoutPrefix(name), (wanted) => {
      if (Object.hasOwn(attributes, wanted)) return attributes[wanted]
      for (const key in attributes) if (withoutPrefix(key) === wanted) return attributes[key]
      return undefined
    })
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    reader.close?.(withoutPrefix(name))
  })
  const onText = (text: string) => reader.text?.(text)
  parser.on('text', onText)
  parser.on('cdata', onText)

  let decoder: TextDecoder | undefined
  /** Characters since the last tag, which the parser keeps until the next one. */
  let run = 0
  const write = (text: string) => {
    const tag = text.lastIndexOf('<')
    run = tag === -1 ? run + text.length : text.length - tag
    if (run > RUN_MAX || longestRun(text) > RUN_MAX)
      unreadable(`has more than ${RUN_MAX.toLocaleString('en')} characters in one cell`)
    parser.write(text)
  }
  const decode = (bytes?: Uint8Array): string => {
    try {
      decoder ??= new TextDecoder(encodingOf(bytes ?? new Uint8Array()), { fatal: true })
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      return unreadable('is not the text that it should be')
    }
  }
  archive.unpack(part, (bytes) => write(decode(bytes)))
  write(decode())
  parser.close()
}

function longestRun(text: string): number {
  if (text.length <= RUN_MAX) return 0
  let longest = 0
  for (let from = 0; from < text.length;) {
    const tag = text.indexOf('<', from + 1)
    const to = tag === -1 ? text.length : tag
    longest = Math.max(longest, to - from)
    from = to
  }
  return longest
}

const encodingOf = ([first, second]: Uint8Array): string =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
