import { expect, test } from 'vitest'
import { Haystack } from './haystack.ts'

const TEXTS = ['农夫山泉 550ml', '', 'cola cola', 'cola', '可乐 cola zero']

test('every text that holds the needle is found once, in order', () => {
  const haystack = new Haystack(TEXTS)
  for (const needle of ['cola', '山泉', 'zero', '5', 'nothing', 'l c', 'cola cola'])
    expect(haystack.holding(needle)).toEqual(TEXTS.flatMap((text, i) => (text.includes(needle) ? [i] : [])))
})

test('a needle is never found across two texts', () => {
  expect(new Haystack(['ab', 'cd']).holding('bc')).toEqual([])
  expect(new Haystack(['ab', 'cd']).holding('b\ncd')).toEqual([])
})

test('nothing is found among no texts', () => {
  expect(new Haystack([]).holding('a')).toEqual([])
})
