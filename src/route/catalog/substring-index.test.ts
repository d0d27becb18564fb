import { expect, test } from 'vitest'
import { SubstringIndex } from './substring-index.ts'

const TEXTS = ['农夫山泉 550ml', '', 'cola cola', 'cola', '可乐 cola zero']

async function found(texts: readonly string[], needle: string): Promise<readonly number[]> {
  const indexes: number[] = []
  const index = await SubstringIndex.build(texts, (text) => text)
  index.forEachMatch(needle, (at) => indexes.push(at))
  return indexes
}

test('every text that contains the needle is found once, in order', async () => {
  for (const needle of ['cola', '山泉', 'zero', '5', 'nothing', 'l c', 'cola cola'])
    expect(await found(TEXTS, needle)).toEqual(TEXTS.flatMap((text, i) => (text.includes(needle) ? [i] : [])))
})

test('a needle is never found across two texts', async () => {
  expect(await found(['ab', 'cd'], 'bc')).toEqual([])
  expect(await found(['ab', 'cd'], 'b\ncd')).toEqual([])
})

test('so it is in an index of thousands of texts', async () => {
  const texts = Array.from({ length: 5_003 }, (_, i) => `product ${i}`)
  for (const needle of ['7', 'product 5002', '99'])
    expect(await found(texts, needle)).toEqual(texts.flatMap((text, i) => (text.includes(needle) ? [i] : [])))
})

test('nothing is found in an empty index', async () => {
  expect(await found([], 'a')).toEqual([])
})
