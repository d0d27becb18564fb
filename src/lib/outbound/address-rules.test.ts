import { describe, expect, test } from 'vitest'
import { isPublicAddress, receiverProblem } from './address-rules.ts'

describe('addresses that messages may be sent to', () => {
  test.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '100::1',
    '2001:db8::1',
    '2002:a00:1::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'ff02::1',
    'not an address',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  test.each(['8.8.8.8', '172.15.255.255', '172.32.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::8'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  test.each([
    ['https://hooks.example.com/a?b=c', undefined, undefined],
    ['http://hooks.example.com/', 'must be https', 'must be https, or http to this machine'],
    ['http://127.0.0.1:9/', 'must be https', undefined],
    ['https://127.0.0.1/', 'must have a public address', undefined],
    ['https://0x7f.1/', 'must have a public address', undefined],
    ['https://[::1]/', 'must have a public address', undefined],
    ['https://[::ffff:127.0.0.1]/', 'must have a public address', 'must have a public address'],
    ['https://192.168.0.10/', 'must have a public address', 'must have a public address'],
    [
      'https://u:p@hooks.example.com/',
      'must not contain a user name or password',
      'must not contain a user name or password',
    ],
    ['https://hooks.example.com/#x', 'must not contain a fragment', 'must not contain a fragment'],
    ['ftp://hooks.example.com/', 'must be https', 'must be https, or http to this machine'],
    ['nonsense', 'must be a URL', 'must be a URL'],
  ])('%s: live %s, staging %s', (url, live, staging) => {
    expect([receiverProblem(url, false), receiverProblem(url, true)]).toEqual([live, staging])
  })
})
