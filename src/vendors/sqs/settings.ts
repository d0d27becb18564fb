/** The settings of a queue at Amazon SQS, as a member `queue` of a connection. */
import { type Static, Type } from 'typebox'
import { text } from '../../lib/validator.ts'
import type { SettingPrompt } from '../adapter-module.ts'
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

const withQueue = { path: 'queue.url' }
const onRequest = (name: string, question: string, onlyIf = withQueue): SettingPrompt => ({
  path: `queue.${name}`,
  question,
  isOptional: true,
  onlyIf,
})

export const QUEUE_PROMPTS: readonly SettingPrompt[] = [
  {
    path: 'queue.url',
    question: 'Address of your Amazon SQS queue, if the platform sends what happens into one; empty: none',
    isOptional: true,
  },
  { path: 'queue.access_key', question: 'Queue: access key id', onlyIf: withQueue },
  { path: 'queue.secret_key', question: 'Queue: secret access key', onlyIf: withQueue },
  onRequest('region', 'Queue: region such as eu-west-1, where the address does not tell it'),
  onRequest('encryption_key', 'Queue: encryption key, if its messages are encrypted'),
  onRequest('encryption_iv', 'Queue: initialization vector of the key', { path: 'queue.encryption_key' }),
  onRequest('previous_encryption_key', 'Queue: encryption key of before, while its messages may wait'),
  onRequest('previous_encryption_iv', 'Queue: initialization vector of the key of before', {
    path: 'queue.previous_encryption_key',
  }),
]

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
