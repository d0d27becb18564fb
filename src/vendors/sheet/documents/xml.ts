/**
 * XML of business documents, in and out. The parser knows no DTD: it fetches nothing, declares no entities and refuses a
 * reference to one, so a document cannot grow while it is read (ADR 26). Names lose their prefix: makers choose their own.
 */
import { XmlCdata, XmlDocumentType, XmlElement, XmlError, XmlText, parseXml } from '@rgrove/parse-xml'
import { UnreadableReply } from '../../upstream/read-json.ts'

export interface XmlNode {
  /** Without its namespace prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlNode[]
  /** Its own text with the blanks around it; not that of its children. */
  readonly text: string
}

/** Documents nest some ten levels; the parser and ours are recursive. */
const DEPTH_MAX = 100

/** A catalogue of 10,000 products has some 300,000. Each takes about a kilobyte of memory while it is read. */
const NODES_MAX = 400_000

/** Elements open and close, and text may stand between any two signs. */
function countNodes(text: string): number {
  let nodes = 0
  for (let at = text.indexOf('<'); at !== -1 && nodes <= NODES_MAX; at = text.indexOf('<', at + 1))
    if (text[at + 1] !== '/') nodes += 1
  return nodes
}

/** The root element. Throws UnreadableReply when the bytes are not one well-formed document. */
export function readXml(bytes: Uint8Array): XmlNode {
  const text = decode(bytes)
  if (countNodes(text) > NODES_MAX) throw new UnreadableReply('the document has too many elements')
  const document = parse(text)
  for (const node of document.children) {
    // An internal subset exists to declare entities and default values. No business document needs it.
    if (node instanceof XmlDocumentType && node.internalSubset !== null)
      throw new UnreadableReply('the document brings declarations of its own')
  }
  if (!document.root) throw new UnreadableReply('the document has no root element')
  return toNode(document.root, 0)
}

function parse(text: string): ReturnType<typeof parseXml> {
  try {
    return parseXml(text, { preserveDocumentType: true, preserveCdata: true })
  } catch (error) {
    // A RangeError is the end of the stack: nested deeper than any document.
    if (!(error instanceof XmlError || error instanceof RangeError)) throw error
    throw new UnreadableReply(`not well-formed XML (${error.message.split('\n')[0] ?? ''})`)
  }
}

/** By byte order mark, else as declared, else UTF-8. */
function decode(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 200)).toString('latin1')
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1]
  const label = start.startsWith('\xFF\xFE') ? 'utf-16le' : start.startsWith('\xFE\xFF') ? 'utf-16be' : declared
  try {
    return new TextDecoder(label ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableReply(`the document is not ${label ?? 'utf-8'} text`)
  }
}

function toNode(element: XmlElement, depth: number): XmlNode {
  if (depth > DEPTH_MAX) throw new UnreadableReply('the document is nested too deep')
  const children: XmlNode[] = []
  let text = ''
  for (const child of element.children) {
    if (child instanceof XmlElement) children.push(toNode(child, depth + 1))
    else if (child instanceof XmlText || child instanceof XmlCdata) text += child.text
  }
  return {
    name: element.name.slice(element.name.indexOf(':') + 1),
    attributes: element.attributes,
    children,
    text,
  }
}

export const childrenOf = (node: XmlNode | undefined, name: string): readonly XmlNode[] =>
  node?.children.filter((child) => child.name === name) ?? []

/** Follows a path of elements that each occur at most once: where there are two, neither is the one that counts. */
export function childOf(node: XmlNode | undefined, ...path: readonly string[]): XmlNode | undefined {
  let found = node
  for (const name of path) {
    const [first, second] = childrenOf(found, name)
    if (second) throw new UnreadableReply(`${name} occurs more than once`, name)
    found = first
  }
  return found
}

/** Trimmed; undefined when the element is missing or blank. */
export const textAt = (node: XmlNode | undefined, ...path: readonly string[]): string | undefined =>
  childOf(node, ...path)?.text.trim() || undefined

export function requiredText(node: XmlNode | undefined, ...path: readonly string[]): string {
  const text = textAt(node, ...path)
  if (text === undefined) throw new UnreadableReply(`${path.join('/')} is missing`, path.at(-1))
  return text
}

/** What is to be written: an element with text, or with elements in it. */
export interface XmlOutput {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: string | readonly XmlOutput[]
}

type Attributes = Readonly<Record<string, string | undefined>>

const keepSet = (attributes: Attributes): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))

/** An element with text, also when the text is empty: some elements are required. */
export const leaf = (name: string, content: string, attributes: Attributes = {}): XmlOutput => ({
  name,
  attributes: keepSet(attributes),
  content,
})

/** An element with text; none where there is no text, because Peppol forbids empty elements. */
export const optionalLeaf = (
  name: string,
  content: string | undefined,
  attributes: Attributes = {},
): XmlOutput | undefined =>
  content === undefined || printableText(content).trim() === '' ? undefined : leaf(name, content, attributes)

/** An element with elements in it; those that are undefined are left out. */
export const group = (
  name: string,
  content: readonly (XmlOutput | undefined)[],
  attributes: Attributes = {},
): XmlOutput => ({ name, attributes: keepSet(attributes), content: content.filter((child) => child !== undefined) })

/** As `group`, and left out itself when nothing is in it. */
export const optionalGroup = (name: string, content: readonly (XmlOutput | undefined)[]): XmlOutput | undefined =>
  content.some((child) => child !== undefined) ? group(name, content) : undefined

export const renderXml = (root: XmlOutput, doctype?: string): string =>
  ['<?xml version="1.0" encoding="UTF-8"?>', ...(doctype === undefined ? [] : [doctype]), render(root, ''), ''].join(
    '\n',
  )

function render({ name, attributes, content }: XmlOutput, indent: string): string {
  const start = `${indent}<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escape(value).replaceAll('"', '&quot;')}"`)
    .join('')}`
  if (typeof content === 'string') return `${start}>${escape(content)}</${name}>`
  return [`${start}>`, ...content.map((child) => render(child, `${indent}  `)), `${indent}</${name}>`].join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Characters that XML 1.0 cannot hold become blanks. */
const printableText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are the characters in question
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, ' ')

/** Line ends are written as references: readers would change them otherwise. */
const escape = (text: string): string =>
  printableText(text)
    .replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign)
    .replaceAll(/[\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`)
