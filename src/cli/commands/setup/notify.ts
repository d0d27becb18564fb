/** `vendops notify test`: sends one message on a channel of NOTIFY_FILE, from the server. */
import { randomUUID } from 'node:crypto'
import { NOTICE_BUTTONS, TEST_NOTICE } from '../../../texts/index.ts'
import { configuredNotify, sendNotice } from '../../../views/notifications/index.ts'
import { signingKeys } from '../../../record/outbox/index.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { silentLog } from '../../../kernel/log.ts'
import type { Command } from '../../command.ts'
import { CommandFailure } from '../../exit.ts'
import { hostConfig } from '../../host.ts'

const test: Command = {
  name: 'notify test',
  summary: 'send a test message on a notification channel',
  args: [{ name: 'channel' }],
  examples: [['vendops notify test owner', 'the channel with this name in NOTIFY_FILE']],
  async run(context, args) {
    const config = hostConfig(context.env)
    const notify = configuredNotify(config, context.env)
    if (!notify) throw new CommandFailure('NOTIFY_FILE is not set')
    if (!notify.ok) throw new CommandFailure(notify.problems.join('; '))
    const { channels, publicUrl } = notify.settings
    const channel = channels.find(({ name }) => name === args.arg('channel'))
    if (!channel)
      throw new CommandFailure(`there is no channel ${args.arg('channel')}`, {
        hint: `channels: ${channels.map(({ name }) => name).join(', ')}`,
      })
    const ctx = { clock: systemClock, config, signingKeys: signingKeys(config.signingKeysFile, systemClock, silentLog) }
    const language = channel.language ?? 'en'
    const result = await sendNotice(ctx, channel, {
      ...TEST_NOTICE[language],
      message: { id: randomUUID(), kind: 'test', occurredAt: systemClock.now() },
      link: publicUrl,
      words: NOTICE_BUTTONS[language],
      approval: undefined,
      data: {},
      count: 1,
    })
    await context.writeJson({ channel: channel.name, ...result })
    if (result.outcome !== 'delivered')
      throw new CommandFailure(`not delivered: ${'error' in result ? result.error : result.outcome}`)
    await context.writeLines([`sent on ${channel.name}`])
  },
}

export const NOTIFY: readonly Command[] = [test]
