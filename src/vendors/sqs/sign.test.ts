import { expect, test } from 'vitest'
import { signRequest } from './sign.ts'

/** The test suite that Amazon publishes for its signatures: key, date and service are the same in all of them. */
const CREDENTIALS = {
  accessKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const AT = { service: 'service', atMs: Date.UTC(2015, 7, 30, 12, 36, 0) }

test.each([
  ['get-vanilla', 'GET', '', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '?Param2=value2&Param1=value1',
    {},
    '',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  ['post-vanilla', 'POST', '', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-x-www-form-urlencoded',
    'POST',
    '',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'Param1=value1',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('%s', (_, method, query, headers, body, signature) => {
  const url = new URL(`https://example.amazonaws.com/${query}`)
  const signed = signRequest({ method, url, headers: { host: url.host, ...headers }, body }, CREDENTIALS, AT)
  expect(signed['authorization']).toContain(`Signature=${signature}`)
  expect(signed['x-amz-date']).toBe('20150830T123600Z')
})
