import { expect, test } from 'vitest'
import { isOwnRequest, mayApproveOwn } from './decider.ts'

test.each([
  [undefined, 1, true],
  [undefined, 2, false],
  [true, 2, true],
  [false, 1, false],
])('an owner approves its own request: rule %s, %i owners: %s', (rule, owners, expected) => {
  expect(mayApproveOwn(rule, owners)).toBe(expected)
})

test('a request is own when the same name asked; what nobody is named for is not', () => {
  const wang = { name: 'Wang', role: 'owner' } as const
  expect(isOwnRequest(wang, { by: { name: 'Wang', role: 'operator' } })).toBe(true)
  expect(isOwnRequest(wang, { by: { name: 'Li', role: 'owner' } })).toBe(false)
  expect(isOwnRequest(wang, { by: undefined })).toBe(false)
})
