/** Documents match the repository: links resolve, mentioned paths and variables exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
].map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

const sources = ['src', 'test', 'bench', 'scripts', 'bin'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
)

/** The anchor that renderers generate for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

test.each(documents)('every relative link of $file resolves', ({ file, text }) => {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), path)
    if (relative(ROOT, target).startsWith('..') || !existsSync(target)) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test.each(documents)('every path that $file mentions exists', ({ text }) => {
  // Placeholders such as `src/vendors/<vendor>` are not paths.
  const paths = [...text.matchAll(/`((?:src|test|bench|scripts|bin|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  // A file may be mentioned by the end of its path, as in `create/create-run.ts`.
  const names = [...text.matchAll(/`([\w./-]+\.(?:tsx?|m?js))`/g)].map(([, name = '']) => name)
  expect(names.filter((name) => !sources.some((source) => `/${source}`.endsWith(`/${name}`)))).toEqual([])
})

describe('the index of architecture decisions', () => {
  test('lists every decision', () => {
    const index = readFileSync(join(ROOT, 'docs/adr/README.md'), 'utf8')
    const decisions = readdirSync(join(ROOT, 'docs/adr')).filter((name) => /^\d{4}-/.test(name))
    const listed = [...index.matchAll(/^\| \[(\d+)\]\((\d{4}-[\w-]+\.md)\) \|/gm)]
    expect(listed.map(([, , name]) => name)).toEqual(decisions)
    for (const [, number, name = ''] of listed) {
      expect(Number(name.slice(0, 4))).toBe(Number(number))
      expect(readFileSync(join(ROOT, 'docs/adr', name), 'utf8')).toMatch(new RegExp(`^# ${number}\\. `))
    }
  })
})

test('docs/configuration.md lists exactly the environment variables that the configuration reads', () => {
  const read = new Set<string>()
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        read.add(String(name))
        return undefined
      },
    },
  )
  readConfig(env, existsSync)
  const table = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8').matchAll(/^\| (`[A-Z][^|]*) \|/gm)
  const listed = [...table].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  expect(listed.toSorted()).toEqual([...read].toSorted())
})

test('the glossary explains every word once', () => {
  const rows = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').matchAll(/^\| (?!word |---)\**([^|*]+)\** \|/gm)
  const words = [...rows].flatMap(([, cell = '']) => cell.split(',').map((word) => word.trim()))
  expect(words.length).toBeGreaterThan(100)
  expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([])
})

test('the README begins with the commands that start the service and that test it, each complete on a fresh machine', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```sh\n([\s\S]+?)\n```$/gm)].map(([, commands]) => commands)
  expect(blocks.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
  const lines = (file: string) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length
  expect([lines('README.md') <= 110, lines('CHANGELOG.md') <= 80]).toEqual([true, true])
})

describe('docs/contract.md', () => {
  const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8')
  const isTest = (path: string) => /\.(?:test|kit)\.ts$/.test(path)
  const rows = contract.split('\n').filter((line) => /^\| (?!\| |---)/.test(line))

  test('names tests by their titles', () => {
    const links = [...contract.matchAll(/\[([^\]]+)\]\(\.\.\/([\w./-]+)\)/g)].filter(([, , path = '']) => isTest(path))
    expect(links.length).toBeGreaterThan(200)
    const gone = links.filter(([, title = '', path = '']) => {
      const names = title === path.split('/').at(-1)
      return !names && !readFileSync(join(ROOT, path), 'utf8').includes(title)
    })
    expect(gone.map(([link]) => link)).toEqual([])
  })

  test('has a file and a test for every rule but two about others', () => {
    const bare = rows.filter((row) => {
      const paths = [...row.matchAll(/\]\(\.\.\/([\w./-]+)\)/g)].map(([, path = '']) => path)
      return !paths.some(isTest) || paths.every(isTest)
    })
    expect(rows.length).toBeGreaterThan(120)
    expect(bare.map((row) => row.split(' ')[1])).toEqual(['5.6', '5.9'])
  })

  test('has every number that the title of a test begins with', () => {
    const numbers = [...contract.matchAll(/^(?:#+|\|) (\d(?:\.\d)*) /gm)].map(([, number = '']) => number)
    const titles = sources.filter(isTest).flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return [...text.matchAll(/(?:\b(?:test|describe)[^'"`\n]*\(|\]\)\()\s*['"`](\d\.\d) /g)].map(
        ([, number = '']) => number,
      )
    })
    expect(titles.length).toBeGreaterThan(300)
    expect([...new Set(titles)].filter((number) => !numbers.includes(number))).toEqual([])
  })
})

test('comments state rules in words, or name docs/contract.md with the number', () => {
  const numbered = /\((?:[Ss]ection )?[1-9]\.\d(?:[),;:]| rule)|\b[Ss]ections? [1-9]\b/
  const found = sources
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .filter((line) => /^\s*(?:\/\*|\*|\/\/)/.test(line) && !/RFC|contract\.md/.test(line) && numbered.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})
