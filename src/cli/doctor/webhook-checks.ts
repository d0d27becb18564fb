/** Checks of the signing keys and of the receivers of webhooks. */
import { readKeysFile, currentKey } from '../../record/outbox/index.ts'
import { configuredNotify, hasButtons } from '../../views/notifications/index.ts'
import type { Config } from '../../config.ts'
import { SECOND, systemClock } from '../../kernel/clock.ts'
import { postMessage } from '../../lib/outbound/post-message.ts'
import type { Environment } from '../profiles.ts'
import { type Finding, fail, pass, warn } from './check.ts'

const LIMITS = { timeoutMs: 5 * SECOND, replyBytes: 1024 }

export function checkSigningKeys({ signingKeysFile: file }: Config): Finding[] {
  if (file === undefined) return []
  const read = readKeysFile(file)
  if (!read.ok) return [fail('signing keys', `${file} ${read.problem}`, 'vendops keys new   creates a key')]
  const signing = currentKey(read.keys, systemClock.now())
  return [pass('signing keys', `${file}: ${read.keys.length} published, ${signing?.kid ?? 'none'} signs`)]
}

export function checkNotifyFile(config: Config, env: Environment): Finding[] {
  const read = configuredNotify(config, env)
  if (!read) return []
  if (!read.ok)
    return read.problems.map((problem) =>
      fail('notifications', problem, 'correct it; then vendops notify test CHANNEL'),
    )
  const names = read.settings.channels.map(({ name }) => name).join(', ')
  const unencrypted = read.settings.channels.filter(
    (channel) => channel.type === 'feishu' && channel.app !== undefined && channel.app.encrypt_key === undefined,
  )
  const chats = read.settings.channels.filter(hasButtons).map(({ name }) => name)
  // A chat knows its own ids, and a key has a name: the service cannot tell that they are one person.
  const note =
    chats.length === 0
      ? ''
      : `. Who presses a button in ${chats.join(', ')} is not compared with whose key asked: list as administrators only people who do not order or change prices`
  return [
    pass('notifications', `${config.notifyFile}: ${names}${note}`),
    ...unencrypted.map(({ name }) =>
      warn(
        'notifications',
        `${name}: presses in Feishu are not signed, so anyone who learns the verification token can decide approvals`,
        'set an Encrypt Key in the Feishu app and app.encrypt_key in NOTIFY_FILE',
      ),
    ),
  ]
}

/** A HEAD request: any reply means that the receiver is there. Nothing is delivered. */
export const checkWebhookTargets = (config: Config): Promise<Finding[]> =>
  Promise.all(
    config.webhookTargets.map(async ({ id, url }) => {
      const check = `webhook ${id}`
      const message = { url, method: 'HEAD', headers: { 'user-agent': 'vendops' }, body: Buffer.alloc(0) } as const
      const reply = await postMessage(message, { ...LIMITS, mayBeLocal: config.env === 'staging' })
      return 'failure' in reply
        ? warn(check, `no reply: ${reply.failure}`, 'check its URL and the network; messages wait and are sent again')
        : pass(check, `${new URL(url).host} replies`)
    }),
  )
