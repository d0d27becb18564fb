import { expect, test } from 'vitest'
import { TEXTS } from '../../locales/index.ts'
import { deliveryProblem } from './delivery-problem.ts'

const inEnglish = (text: string) => deliveryProblem(TEXTS.en.connections.deliveryProblems, text)
const inChinese = (text: string) => deliveryProblem(TEXTS.zh.connections.deliveryProblems, text)

test.each([
  ['ENOTFOUND', 'The name of the receiver can’t be found (ENOTFOUND)'],
  ['EAI_AGAIN', 'The name of the receiver can’t be found (EAI_AGAIN)'],
  ['ECONNREFUSED', 'Nothing answers at the address of the receiver (ECONNREFUSED)'],
  ['EPROTO', 'No secure connection: the receiver does not speak TLS (EPROTO)'],
  ['CERT_HAS_EXPIRED', 'The certificate of the receiver is not valid (CERT_HAS_EXPIRED)'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate of the receiver is not valid (DEPTH_ZERO_SELF_SIGNED_CERT)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate of the receiver is not valid (ERR_TLS_CERT_ALTNAME_INVALID)'],
  ['ESOMETHING', 'The connection failed (ESOMETHING)'],
  ['HTTP 503', 'The receiver answered with HTTP 503'],
  ['no reply within 10000 ms', 'The receiver did not answer in time'],
])('%s is shown as: %s', (text, shown) => {
  expect(inEnglish(text)).toBe(shown)
  expect(inChinese(text)).toMatch(/[\u4E00-\u9FFF]/)
  expect(inChinese(text)).not.toBe(shown)
})

test('every sentence of the service has words in Chinese', () => {
  for (const text of [
    'the address of the receiver is not public',
    'the URL of the receiver must not contain a fragment',
    'there is no signing key',
    'the order is no longer on record',
    'the receiver is no longer configured',
    'the connection failed',
  ])
    expect(inChinese(text)).toMatch(/^[\u4E00-\u9FFF]/)
  expect(inEnglish('something new')).toBe('something new')
})
