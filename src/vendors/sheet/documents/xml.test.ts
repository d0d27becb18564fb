import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UnreadableReply } from '../../upstream/read-json.ts'
import { childOf, group, leaf, optionalGroup, optionalLeaf, readXml, renderXml, requiredText, textAt } from './xml.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const read = (text: string) => readXml(Buffer.from(text))

describe('reading XML', () => {
  test('names lose their prefix, text can be trimmed, comments and CDATA are text or nothing', () => {
    const node = read('<a:Order xmlns:a="urn:x"><a:ID n="1"> 7<!-- no -->8<![CDATA[<9>]]> </a:ID></a:Order>')
    expect(node).toMatchObject({ name: 'Order', children: [{ name: 'ID', attributes: { n: '1' }, text: ' 78<9> ' }] })
    expect(textAt(node, 'ID')).toBe('78<9>')
    expect(textAt(node, 'None', 'ID')).toBeUndefined()
    expect(() => requiredText(node, 'None')).toThrow('None is missing')
  })

  test('an element that occurs twice is not chosen from', () => {
    expect(() => childOf(read('<a><b>1</b><b>2</b></a>'), 'b')).toThrow('b occurs more than once')
  })

  test('the declared encoding counts', () => {
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e4</a>', 'latin1')
    expect(readXml(latin).text).toBe('ä')
    expect(readXml(Buffer.from('\uFEFF<a>ä</a>', 'utf16le')).text).toBe('ä')
    expect(() => readXml(Buffer.from('<a>\u00e4</a>', 'latin1'))).toThrow('not utf-8')
    expect(() => read('<?xml version="1.0" encoding="klingon"?><a/>')).toThrow('not klingon text')
  })

  test('an external DTD is named and never fetched', () => {
    expect(read('<!DOCTYPE cXML SYSTEM "http://127.0.0.1:1/none.dtd"><cXML/>').name).toBe('cXML')
  })

  test.each([
    ['billion laughs', bomb(10)],
    ['one large entity', `<!DOCTYPE a [<!ENTITY x "${'x'.repeat(10_000)}">]><a>${'&x;'.repeat(10_000)}</a>`],
    ['a local file', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['a parameter entity', '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;]><a/>'],
    ['a default value', '<!DOCTYPE a [<!ATTLIST a n CDATA "1">]><a/>'],
    ['an undeclared entity', '<a>&x;</a>'],
    ['more elements than any document has', `<a>${'<b/>'.repeat(400_001)}</a>`],
    ['deep nesting', '<a>'.repeat(200_000) + '</a>'.repeat(200_000)],
    ['nesting beyond any document', '<a>'.repeat(200) + '</a>'.repeat(200)],
    ['an attribute twice', '<a n="1" n="2"/>'],
    ['two roots', '<a/><b/>'],
    ['an open element', '<a><b></a>'],
    ['nothing', ''],
  ])('%s is refused at once', (_, text) => {
    const started = performance.now()
    expect(() => read(text)).toThrow(UnreadableReply)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test('billion laughs needs no memory', () => {
    const before = process.memoryUsage().heapUsed
    expect(() => read(bomb(30))).toThrow(UnreadableReply)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
  })

  test('no bytes raise anything but UnreadableReply', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.stringMatching(/^[<>a&;"'=/! -]{0,40}$/)), (input) => {
        try {
          readXml(typeof input === 'string' ? Buffer.from(input) : input)
        } catch (error) {
          if (!(error instanceof UnreadableReply)) throw error
        }
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })
})

/** Each entity is ten of the one before. */
function bomb(levels: number): string {
  const entities = Array.from({ length: levels }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`)
  return `<!DOCTYPE a [<!ENTITY l0 "lol">${entities.join('')}]><a>&l${levels};</a>`
}

describe('writing XML', () => {
  test('what is missing is left out, unless it is required', () => {
    const xml = renderXml(
      group('a', [
        leaf('b', ''),
        optionalLeaf('c', ' '),
        optionalLeaf('d', undefined),
        optionalGroup('e', [undefined]),
        leaf('f', '1', { g: '2', h: undefined }),
      ]),
      '<!DOCTYPE a SYSTEM "a.dtd">',
    )
    expect(xml).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE a SYSTEM "a.dtd">\n<a>\n  <b></b>\n  <f g="2">1</f>\n</a>\n',
    )
  })

  test('any text comes back from text and attribute', () => {
    // oxlint-disable-next-line no-control-regex -- what XML 1.0 cannot hold is tested below
    const impossible = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/
    const text = fc.string({ unit: 'binary' }).filter((value) => !impossible.test(value))
    fc.assert(
      fc.property(text, (value) => {
        const [child] = read(renderXml(group('a', [leaf('b', value, { c: value })]))).children
        expect(child?.attributes).toEqual({ c: value })
        expect(child?.text).toBe(value)
      }),
      { numRuns: propertyRuns(1_000) },
    )
  })

  test('what XML cannot hold becomes a blank', () => {
    expect(read(renderXml(leaf('a', 'x\u0000y\u000Bz\uFFFF\uD800!'))).text).toBe('x y z \uFFFD!')
  })
})
