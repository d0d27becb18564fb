/** The settings of a queue at Amazon SQS, as a member `queue` of a connection. */
import { type Static, Type } from 'typebox'
import { text } from '../../lib/validator.ts'
import { type Partly, secret, strict } from '../settings-check.ts'
import { httpUrl } from '../upstream/http-url.ts'
import { IV_LENGTH, KEY_LENGTHS } from './decrypt.ts'

const key = () =>
  Type.Optional(text(`${KEY_LENGTHS.join(', ')} characters`, (value) => KEY_LENGTHS.includes(value.length)))
const vector = () => Type.Optional(text(`${IV_LENGTH} characters`, (value) => value.length === IV_LENGTH))

export const QueueSettings = Type.Object(
  {
    url: httpUrl(),
    access_key: secret(),
    secret_key: secret(),
    /** Where the address does not tell it. */
    region: Type.Optional(text('a region such as eu-west-1', (value) => /^[a-z0-9-]{3,30}$/.test(value))),
    encryption_key: key(),
    encryption_iv: vector(),
    /** Of the key before, while its messages may wait. */
    previous_encryption_key: key(),
    previous_encryption_iv: vector(),
  },
  strict,
)
export type QueueSettings = Static<typeof QueueSettings>

export const QUEUE_SECRETS = [
  'queue.access_key',
  'queue.secret_key',
  'queue.encryption_key',
  'queue.encryption_iv',
  'queue.previous_encryption_key',
  'queue.previous_encryption_iv',
] as const

export function queueProblems(queue: Partly<QueueSettings> | undefined): readonly string[] {
  if (!queue) return []
  const pairs = [
    ['encryption_key', 'encryption_iv'],
    ['previous_encryption_key', 'previous_encryption_iv'],
  ] as const
  return [
    ...pairs
      .filter((pair) => pair.filter((name) => queue[name] !== undefined).length === 1)
      .map(([one, other]) => `queue.${one} and queue.${other} belong together`),
    ...(queue.url !== undefined && regionOf(queue.url, queue.region) === undefined ? ['queue.region is missing'] : []),
  ]
}

export const regionOf = (url: string, stated: string | undefined): string | undefined =>
  stated ?? /^sqs\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(new URL(url).hostname)?.[1]
