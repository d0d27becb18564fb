/** Every adapter folder is reachable, documented and held to its kit. Without its row an adapter is refused as unknown. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { isNamed } from './adapter-module.ts'
import { ADAPTERS } from './adapters.ts'
import { SHEET_SUPPLY } from './sheet/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Folders with a file that exports an adapter module, and what their files say. */
const folders = Map.groupBy(globSync('src/vendors/*/*.ts', { cwd: ROOT }).toSorted(), dirname)
const adapters = [...folders]
  .map(([folder, files]) => ({ name: folder.split('/').at(-1) ?? '', texts: files.map(read) }))
  .filter(({ texts }) => texts.some((text) => /^export const \w+: AdapterModule\b/m.test(text)))

test('the folders of adapters are found', () => {
  expect(adapters.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['acme', 'eva-dts', 'nayax-lynx', 'sheet', 'sheet-machines', 'ucp']),
  )
})

test.each(adapters)('$name is a row of adapters.ts', ({ name, texts }) => {
  const modules = texts.flatMap((text) =>
    [...text.matchAll(/^export const (\w+): AdapterModule\b/gm)].map(([, id]) => id),
  )
  const table = read('src/vendors/adapters.ts')
  expect(table).toContain(`from './${name}/`)
  const rows = table.slice(table.indexOf('ADAPTERS'))
  expect(modules.filter((id) => !new RegExp(`^  ${id},$`, 'm').test(rows))).toEqual([])
})

test.each(adapters)('$name has a page of its own or of its adapter, and connections.md links to it', (each) => {
  const names = [each.name, ...each.texts.flatMap((text) => /^ {2}adapter: '([\w-]+)',$/m.exec(text)?.[1] ?? [])]
  const page = names.find((name) => existsSync(join(ROOT, `docs/connections/${name}.md`)))
  expect(page, names.join(' or ')).toBeDefined()
  expect(read(`docs/connections/${page}.md`)).toMatch(/^# /)
  expect(read('docs/connections.md')).toContain(`(connections/${page}.md)`)
})

test('the adapter for price lists also answers to its former name, for suppliers only', () => {
  const named = (name: string) => ADAPTERS.filter((module) => isNamed(module, name))
  expect(named('sheet').map(({ adapter, role }) => [adapter, role])).toEqual([
    ['price-list', 'supply'],
    ['sheet', 'machine'],
  ])
  expect(named('price-list')).toEqual([SHEET_SUPPLY])
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
