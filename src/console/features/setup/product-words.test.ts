import { expect, test } from 'vitest'
import { searchTexts, withAllWords } from './product-words.ts'

const products = ['Kettle Hill Sea Salt Chips', 'Kettle Hill Barbecue Chips', 'Sea Salt Crackers'].map((title, i) => ({
  id: `a:${i}`,
  title,
}))

test.each([
  ['kettle salt', ['a:0']],
  ['SALT  kettle', ['a:0']],
  ['chips kettle', ['a:0', 'a:1']],
  ['kettle plain', []],
  ['anything', ['a:0', 'a:1', 'a:2']],
])('%j means %j', (query, ids) => {
  expect(withAllWords([...products, ...products], query).map(({ id }) => id)).toEqual(ids)
})

test('one word is asked as it is, several also by the longest', () => {
  expect(searchTexts('cola')).toEqual(['cola'])
  expect(searchTexts('sea kettle')).toEqual(['sea kettle', 'kettle'])
  expect(searchTexts('')).toEqual([''])
})
