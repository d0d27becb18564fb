import { expect, test } from 'vitest'
import { SubstringIndex } from './substring-index.ts'

const TEXTS = ['农夫山泉 550ml', '', 'cola cola', 'cola', '可乐 cola zero']

function found(texts: readonly string[], needle: string): readonly number[] {
  const indexes: number[] = []
  new SubstringIndex(texts).forEachMatch(needle, (index) => indexes.push(index))
  return indexes
}

test('every text that contains the needle is found once, in order', () => {
  for (const needle of ['cola', '山泉', 'zero', '5', 'nothing', 'l c', 'cola cola'])
    expect(found(TEXTS, needle)).toEqual(TEXTS.flatMap((text, i) => (text.includes(needle) ? [i] : [])))
})

test('a needle is never found across two texts', () => {
  expect(found(['ab', 'cd'], 'bc')).toEqual([])
  expect(found(['ab', 'cd'], 'b\ncd')).toEqual([])
})

test('nothing is found in an empty index', () => {
  expect(found([], 'a')).toEqual([])
})
