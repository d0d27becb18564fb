/** Every adapter folder is reachable, documented and held to its kit. Without its row an adapter is refused as unknown. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ADAPTERS } from './adapters.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Folders with a file that exports an adapter module, and what their files say. */
const folders = Map.groupBy(globSync('src/vendors/*/*.ts', { cwd: ROOT }).toSorted(), dirname)
const adapters = [...folders]
  .map(([folder, files]) => ({ name: folder.split('/').at(-1) ?? '', texts: files.map(read) }))
  .filter(({ texts }) => texts.some((text) => /^export const \w+: AdapterModule</m.test(text)))

test('the folders of adapters are found', () => {
  expect(adapters.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['acme', 'eva-dts', 'nayax-lynx', 'sheet', 'sheet-machines', 'ucp']),
  )
})

test.each(adapters)('$name is a row of adapters.ts', ({ name, texts }) => {
  const modules = texts.flatMap((text) =>
    [...text.matchAll(/^export const (\w+): AdapterModule</gm)].map(([, id]) => id),
  )
  const table = read('src/vendors/adapters.ts')
  expect(table).toContain(`from './${name}/`)
  const rows = table.slice(table.indexOf('ADAPTERS'))
  expect(modules.filter((id) => !new RegExp(`^  ${id},$`, 'm').test(rows))).toEqual([])
})

test.each(adapters)('$name has a page, and connections.md links to it', ({ name }) => {
  expect(read(`docs/connections/${name}.md`)).toMatch(/^# /)
  expect(read('docs/connections.md')).toContain(`(connections/${name}.md)`)
})

test.each(ADAPTERS)('$adapter ($role) has a column in the table of what adapters can do', ({ adapter, role }) => {
  const header =
    read('docs/connections.md')
      .split('\n')
      .find((line) => line.startsWith('| | `acme` supply |')) ?? ''
  const [supply = '', machine = ''] = header.split('| | ').slice(1)
  expect(role === 'supply' ? supply : machine).toContain(`\`${adapter}\``)
})

test.each(adapters)('$name runs the kit that every adapter has to pass', ({ texts }) => {
  expect(texts.some((text) => /^\s*describe(?:Machine|Supply)Adapter\(/m.test(text))).toBe(true)
})
