import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeFileName } from '../lib/safe-file-name.ts'
import { parseForm } from './parse-form.ts'

test('what a browser sends is read as it was, whatever the bytes of the file are', async () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 })
  // With what separates parts in it.
  const file = fc.oneof(
    bytes,
    fc
      .array(fc.constantFrom('\r\n', '--', '\r\n--', 'boundary', '\0', 'a'), { minLength: 1 })
      .map((parts) => new TextEncoder().encode(parts.join(''))),
  )
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((one) => !/[\0\r\n]|\p{Cs}/u.test(one))
  const name = fc.string({ minLength: 1, maxLength: 30 }).filter((one) => !/[\0\\]/.test(one))
  await fc.assert(
    fc.asyncProperty(file, name, text, async (content, fileName, kind) => {
      const form = new FormData()
      form.append('kind', kind)
      form.append('file', new Blob([new Uint8Array(content)]), fileName)
      const sent = new Response(form)
      const raw = Buffer.from(await sent.arrayBuffer())
      expect(parseForm(raw, sent.headers.get('content-type') ?? '')).toEqual({
        ok: true,
        value: { kind, file: { name: safeFileName(fileName), bytes: new Uint8Array(content) } },
      })
    }),
  )
})

const TYPE = 'multipart/form-data; boundary=xYz'
const part = (disposition: string, body = 'a') => `--xYz\r\ncontent-disposition: ${disposition}\r\n\r\n${body}\r\n`
const END = '--xYz--\r\n'
const KIND = part('form-data; name="kind"')

test.each([
  ['no boundary', 'multipart/form-data', KIND + END],
  ['another boundary', 'multipart/form-data; boundary=other', KIND + END],
  ['a boundary of 71 characters', `multipart/form-data; boundary=${'x'.repeat(71)}`, `--${'x'.repeat(71)}--`],
  ['no end', TYPE, KIND],
  ['nothing', TYPE, ''],
  ['a part without a name', TYPE, part('form-data') + END],
  ['a part that is no field', TYPE, part('attachment; name="kind"') + END],
  ['a part without headers', TYPE, `--xYz\r\n\r\na\r\n${END}`],
  ['a part without a body', TYPE, `--xYz\r\ncontent-disposition: form-data; name="kind"\r\n\r\n--xYz--`],
  [
    'headers without an end',
    TYPE,
    `--xYz\r\ncontent-disposition: form-data; name="${'k'.repeat(9000)}"\r\n\r\na\r\n${END}`,
  ],
  ['more after a boundary', TYPE, `${KIND}--xYzz\r\n${END}`],
])('%s: the form cannot be read', (_, type, text) => {
  expect(parseForm(Buffer.from(text), type)).toEqual({ ok: false, problem: 'The form cannot be read' })
})

test.each([
  [String.raw`form-data; name="file"; filename="a\"b.csv"`, 'a_b.csv'],
  ['form-data; filename="x; name="; name="file"', 'x_ name_'],
  ['form-data; name=file; filename=a.csv', 'a.csv'],
  [String.raw`form-data; name="file"; filename="C:\lists\a.csv"; filename*=UTF-8''b.csv`, 'a.csv'],
])('%s', (disposition, name) => {
  const form = parseForm(Buffer.from(part(disposition) + END), 'multipart/form-data; charset=utf-8; boundary="xYz"')
  expect(form).toEqual({ ok: true, value: { file: { name, bytes: new Uint8Array([97]) } } })
})
