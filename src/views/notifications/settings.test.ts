import { expect, test } from 'vitest'
import { readNotifyFile } from './settings.ts'
import { readFileSync } from 'node:fs'
import { NOTICE_KINDS } from './notices.ts'

const SECRET = 'never-show-this'
const FACTS = { publicUrl: 'https://vend.example.com', mayBeLocal: false, hasSigningKeys: true }
const read = (file: unknown, facts: object = {}) =>
  readNotifyFile(
    '/etc/vendops/notify.json',
    { ...FACTS, ...facts },
    {
      variables: {
        HOOK: 'https://hooks.example.com/x',
        SECRET,
        SMTP: 'smtps://u:p@mail.example.com',
        LOCAL: 'https://10.0.0.1/',
      },
      readFile: () => (typeof file === 'string' ? file : JSON.stringify(file)),
    },
  )
const problemsOf = (channel: object, facts: object = {}) => {
  const result = read({ channels: [channel] }, facts)
  return result.ok ? [] : result.problems.map((problem) => problem.replace(/^NOTIFY_FILE \S+ /, ''))
}
const SLACK = { name: 's', type: 'slack', webhook: { env: 'HOOK' } }

test('a file with every kind of channel is read, with its secrets in place', () => {
  const result = read({
    public_url: 'https://console.example.com/',
    channels: [
      { ...SLACK, signing_secret: { env: 'SECRET' }, kinds: ['stop'], quiet: { from: '22:00', to: '07:00' } },
      { name: 'w', type: 'webhook', url: 'https://hooks.example.com/v', language: 'zh' },
      { name: 'f', type: 'feishu', webhook: { env: 'HOOK' }, secret: { env: 'SECRET' } },
      { name: 'm', type: 'email', smtp: { env: 'SMTP' }, from: 'a@b.c', to: ['d@e.f'], summary_at: '08:00' },
    ],
  })
  expect(result).toMatchObject({
    ok: true,
    settings: {
      publicUrl: 'https://console.example.com',
      channels: [{ webhook: 'https://hooks.example.com/x', signing_secret: SECRET }, {}, {}, {}],
    },
  })
})

test.each([
  [
    'a secret as text',
    { ...SLACK, webhook: SECRET },
    'channels[0] (s): webhook must be {"env": NAME} or {"file": PATH}: secrets are not written into this file',
  ],
  [
    'an unknown kind',
    { ...SLACK, kinds: ['gossip'] },
    `channels[0] (s): kinds.0 must be one of ${NOTICE_KINDS.join(', ')}`,
  ],
  ['an unknown field', { ...SLACK, colour: 1 }, 'channels[0] (s): has an unknown field "colour"'],
  [
    'an unknown type',
    { ...SLACK, type: 'pager' },
    'channels[0] (s): type must be one of webhook, feishu, slack, email',
  ],
  [
    'no time',
    { ...SLACK, quiet: { from: '25:00', to: '07:00' } },
    'channels[0] (s): quiet.from must be a time such as 22:00',
  ],
  [
    'an address of our own network',
    { ...SLACK, webhook: { env: 'LOCAL' } },
    'channels[0] (s): webhook must have a public address',
  ],
  ['a feishu channel without a way to send', { name: 'f', type: 'feishu' }, 'channels[0] (f): needs webhook or app'],
])('%s stops the start', (_name, channel, problem) => {
  const problems = problemsOf(channel)
  expect(problems).toEqual([problem])
  expect(problems.join()).not.toContain(SECRET)
})

test('a webhook channel without signing keys, a name used twice, and no JSON stop the start', () => {
  expect(
    problemsOf({ name: 'w', type: 'webhook', url: 'https://h.example/' }, { publicUrl: 'http://localhost:8080' }),
  ).toEqual([expect.stringContaining('PUBLIC_URL must be an https origin')])
  expect(problemsOf({ name: 'w', type: 'webhook', url: 'https://h.example/' }, { hasSigningKeys: false })).toEqual([
    'channels[0] (w): needs SIGNING_KEYS_FILE, because its messages are signed: vendops keys new',
  ])
  expect(read({ channels: [SLACK, SLACK] })).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('name is used twice')],
  })
  expect(read('{')).toMatchObject({ ok: false, problems: ['NOTIFY_FILE /etc/vendops/notify.json is not JSON'] })
})

test('every kind of notice is documented', () => {
  const page = readFileSync(new URL('../../../docs/notifications.md', import.meta.url), 'utf8')
  expect(NOTICE_KINDS.filter((kind) => !page.includes(`| \`${kind}\` |`))).toEqual([])
})
