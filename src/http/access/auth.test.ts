import { expect, test } from 'vitest'
import { authenticator } from './auth.ts'

test('5.1 the cookie carries the token as it is or escaped, whatever letters it has', () => {
  const token = '0123;456,789"abc%41=~'
  const auth = authenticator(token)
  expect(auth.authenticate({ cookie: `a=b; service_auth=${encodeURIComponent(token)}` })).toBe('cookie')
  expect(auth.authenticate({ cookie: 'service_auth=%zz' })).toBeUndefined()
  expect(authenticator('0123456789%41bcde').authenticate({ cookie: 'service_auth=0123456789%41bcde' })).toBe('cookie')
})
