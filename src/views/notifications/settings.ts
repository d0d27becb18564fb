/** NOTIFY_FILE: the channels on which people are notified. Checked whole at the start; secrets are references. */
import { readFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { isHttpsOrigin, UNSIGNABLE } from '../../config/find-conflicts.ts'
import type { Config } from '../../config.ts'
import { isFields } from '../../lib/objects.ts'
import { receiverProblem } from '../../lib/outbound/address-rules.ts'
import { type SecretSources, resolveSecrets, describeEntry, readSettingsFile } from '../../lib/files.ts'
import { oneOf, text, validator } from '../../lib/validator.ts'
import { NOTICE_KINDS } from './notices.ts'

declare module '../../context.ts' {
  interface ContextParts {
    /** Undefined: nobody is notified. */
    readonly notify?: NotifySettings | undefined
  }
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/
const strict = { additionalProperties: false, expected: 'an object' }
const anyText = () => text('text', (value) => value !== '')
const time = () => text('a time such as 22:00', (value) => TIME.test(value))

const COMMON = {
  name: text('up to 64 letters, digits, dots, hyphens and underscores', (name) => NAME.test(name)),
  kinds: Type.Optional(
    Type.Array(oneOf([...NOTICE_KINDS]), { minItems: 1, expected: `a list of ${NOTICE_KINDS.join(', ')}` }),
  ),
  language: Type.Optional(oneOf(['zh', 'en'])),
  quiet: Type.Optional(Type.Object({ from: time(), to: time() }, strict)),
  summary_at: Type.Optional(time()),
}

const SCHEMAS = {
  webhook: Type.Object({ ...COMMON, type: oneOf(['webhook']), url: anyText() }, strict),
  feishu: Type.Object(
    {
      ...COMMON,
      type: oneOf(['feishu']),
      webhook: Type.Optional(anyText()),
      secret: Type.Optional(anyText()),
      app: Type.Optional(
        Type.Object(
          {
            id: anyText(),
            secret: anyText(),
            verification_token: anyText(),
            encrypt_key: Type.Optional(anyText()),
            api: Type.Optional(anyText()),
            chat_id: anyText(),
          },
          strict,
        ),
      ),
    },
    strict,
  ),
  slack: Type.Object(
    { ...COMMON, type: oneOf(['slack']), webhook: anyText(), signing_secret: Type.Optional(anyText()) },
    strict,
  ),
  email: Type.Object(
    {
      ...COMMON,
      type: oneOf(['email']),
      smtp: text('an smtp or smtps URL', (url) => /^smtps?:\/\/./.test(url) && URL.canParse(url)),
      from: anyText(),
      to: Type.Array(anyText(), { minItems: 1, expected: 'a list of addresses' }),
    },
    strict,
  ),
}

const SECRETS: Readonly<Record<keyof typeof SCHEMAS, readonly string[]>> = {
  webhook: [],
  feishu: ['webhook', 'secret', 'app.id', 'app.secret', 'app.verification_token', 'app.encrypt_key'],
  slack: ['webhook', 'signing_secret'],
  email: ['smtp'],
}

export type WebhookSettings = Static<typeof SCHEMAS.webhook>
export type FeishuSettings = Static<typeof SCHEMAS.feishu>
export type SlackSettings = Static<typeof SCHEMAS.slack>
export type EmailSettings = Static<typeof SCHEMAS.email>
export type ChannelSettings = WebhookSettings | FeishuSettings | SlackSettings | EmailSettings

export interface NotifySettings {
  /** The address of the console in messages. */
  readonly publicUrl: string
  readonly channels: readonly ChannelSettings[]
}

export type NotifyResult =
  | { readonly ok: true; readonly settings: NotifySettings }
  | { readonly ok: false; readonly problems: readonly string[] }

export interface NotifyFacts {
  readonly publicUrl: string
  /** Staging: receivers on this machine are allowed. */
  readonly mayBeLocal: boolean
  readonly hasSigningKeys: boolean
}

export const FEISHU_API = 'https://open.feishu.cn'

export function readNotifyFile(path: string, facts: NotifyFacts, sources: SecretSources): NotifyResult {
  const invalid = (...problems: string[]): NotifyResult => ({
    ok: false,
    problems: problems.map((problem) => `NOTIFY_FILE ${path} ${problem}`),
  })
  const file = readSettingsFile(path, { list: 'channels', others: ['public_url'] }, sources)
  if (!file.ok) return invalid(file.problem)
  const { public_url: publicUrl = facts.publicUrl } = file.fields
  const problems = [...file.problems]
  if (typeof publicUrl !== 'string' || !URL.canParse(publicUrl)) problems.push('public_url must be a URL')
  const channels: ChannelSettings[] = []
  for (const [i, each] of file.entries.entries()) {
    const read = readChannel(each, facts, file.sources)
    const where = describeEntry('channels', i, each, 'name')
    problems.push(...read.problems.map((problem) => `${where}: ${problem}`))
    if (read.channel && channels.some((other) => other.name === read.channel?.name))
      problems.push(`${where}: name is used twice`)
    if (read.channel) channels.push(read.channel)
  }
  for (const type of ['feishu', 'slack'] as const)
    if (channels.filter((each) => hasButtons(each) && each.type === type).length > 1)
      problems.push(`has more than one ${type} channel with buttons: their callbacks could not be distinguished`)
  if (problems.length > 0) return invalid(...problems)
  return { ok: true, settings: { publicUrl: String(publicUrl).replace(/\/+$/, ''), channels } }
}

/** Undefined: no notifications are configured. */
export const configuredNotify = (
  config: Pick<Config, 'notifyFile' | 'publicUrl' | 'env' | 'signingKeysFile'>,
  variables: SecretSources['variables'],
): NotifyResult | undefined =>
  config.notifyFile === undefined
    ? undefined
    : readNotifyFile(
        config.notifyFile,
        {
          publicUrl: config.publicUrl,
          mayBeLocal: config.env === 'staging',
          hasSigningKeys: config.signingKeysFile !== undefined,
        },
        { variables, readFile: (path) => readFileSync(path, 'utf8') },
      )

/** Whether its messages can be answered with a press of a button. */
export const hasButtons = (channel: ChannelSettings): boolean =>
  (channel.type === 'feishu' && channel.app !== undefined) ||
  (channel.type === 'slack' && channel.signing_secret !== undefined)

function readChannel(
  given: unknown,
  { publicUrl, mayBeLocal, hasSigningKeys }: NotifyFacts,
  sources: SecretSources,
): { readonly problems: readonly string[]; readonly channel?: ChannelSettings } {
  if (!isFields(given)) return { problems: ['must be an object'] }
  const type = given['type'] as keyof typeof SCHEMAS
  if (!Object.hasOwn(SCHEMAS, type)) return { problems: [`type must be one of ${Object.keys(SCHEMAS).join(', ')}`] }
  const resolved = resolveSecrets(given, SECRETS[type], sources)
  const checked = validator(SCHEMAS[type])(resolved.settings)
  const problems = [...resolved.problems]
  if (!checked.ok)
    for (const { path, text: problem } of checked.problems)
      if (!resolved.unresolved.includes(path.join('.')))
        problems.push([path.join('.'), problem].filter(Boolean).join(' '))
  if (!checked.ok || problems.length > 0) return { problems }
  const channel: ChannelSettings = checked.value
  const receivers =
    channel.type === 'webhook'
      ? [['url', channel.url] as const]
      : channel.type === 'email'
        ? []
        : [
            ...(channel.webhook === undefined ? [] : [['webhook', channel.webhook] as const]),
            ...(channel.type === 'feishu' && channel.app ? [['app.api', channel.app.api ?? FEISHU_API] as const] : []),
          ]
  const wrong = receivers.flatMap(([name, url]) => {
    const problem = receiverProblem(url, mayBeLocal)
    return problem === undefined ? [] : [`${name} ${problem}`]
  })
  if (channel.type === 'webhook' && !hasSigningKeys)
    wrong.push('needs SIGNING_KEYS_FILE, because its messages are signed: vendops keys new')
  if (channel.type === 'webhook' && !mayBeLocal && !isHttpsOrigin(publicUrl)) wrong.push(`is signed: ${UNSIGNABLE}`)
  if (channel.type === 'feishu' && receivers.length === 0) wrong.push('needs webhook or app')
  return wrong.length > 0 ? { problems: wrong } : { problems: [], channel }
}
