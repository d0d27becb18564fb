import { expect, test } from 'vitest'
import { SubstringIndex } from './substring-index.ts'

const TEXTS = ['农夫山泉 550ml', '', 'cola cola', 'cola', '可乐 cola zero']

function found(texts: readonly string[], needle: string): readonly number[] {
  const places: number[] = []
  new SubstringIndex(texts).holding(needle, (place) => places.push(place))
  return places
}

test('every text that holds the needle is found once, in order', () => {
  for (const needle of ['cola', '山泉', 'zero', '5', 'nothing', 'l c', 'cola cola'])
    expect(found(TEXTS, needle)).toEqual(TEXTS.flatMap((text, i) => (text.includes(needle) ? [i] : [])))
})

test('a needle is never found across two texts', () => {
  expect(found(['ab', 'cd'], 'bc')).toEqual([])
  expect(found(['ab', 'cd'], 'b\ncd')).toEqual([])
})

test('nothing is found among no texts', () => {
  expect(found([], 'a')).toEqual([])
})
