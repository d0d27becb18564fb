/** The settings of an account at Nayax Lynx. */
import { type Static, Type } from 'typebox'
import { oneOf, text } from '../../lib/validator.ts'
import type { CheckedSettings } from '../adapter-module.ts'
import { type Partly, flag, secret, settingsCheck, strict } from '../settings-check.ts'
import { httpUrl } from '../upstream/http-url.ts'
import { QUEUE_SECRETS, QueueSettings, queueProblems } from '../sqs/settings.ts'
import { type PriceField, PRICE_FIELDS } from './lanes.ts'
import { idText } from './reply.ts'

/** Prices that a sale may have at the machine; the one of prepaid cards is never the price for everybody. */
const SALE_PRICES = ['MachinePrice', 'CashPrice', 'CreditCardPrice'] as const
const DEFAULT_AUTH_URL = 'https://lynx-api.nayax.com/v1/issue-access-token'

const optional = Type.Optional
const ID = 'a number'
/** Operators copy ids as numbers or as texts. */
const id = () =>
  Type.Union([Type.Integer({ minimum: 1, expected: ID }), text(ID, (value) => idText(value) !== undefined)], {
    expected: ID,
  })

const Settings = Type.Object(
  {
    url: httpUrl(),
    auth_url: optional(httpUrl()),
    token: optional(secret()),
    refresh_token: optional(secret()),
    operator_id: id(),
    actor_id: optional(id()),
    price: optional(oneOf(SALE_PRICES)),
    write_prices: optional(
      Type.Array(oneOf(PRICE_FIELDS), {
        minItems: 1,
        uniqueItems: true,
        expected: `a list of ${PRICE_FIELDS.join(', ')}`,
      }),
    ),
    picklists: flag(),
    queue: optional(QueueSettings),
  },
  strict,
)

export type LynxSettings = Readonly<ReturnType<typeof toSettings>>

export const SECRETS = ['token', 'refresh_token', ...QUEUE_SECRETS]

const checkShape = settingsCheck(Settings, problemsOf)

export function checkSettings(given: unknown): CheckedSettings<LynxSettings> {
  const shape = checkShape(given)
  return shape.ok ? { ok: true, settings: toSettings(shape.settings) } : shape
}

function problemsOf({
  token: access,
  refresh_token: refresh,
  price = 'MachinePrice',
  write_prices: written,
  queue,
}: Partly<Static<typeof Settings>>) {
  return [
    ...queueProblems(queue),
    ...(access === undefined && refresh === undefined ? ['token or refresh_token is missing'] : []),
    ...(access !== undefined && refresh !== undefined ? ['token and refresh_token exclude each other'] : []),
    // Otherwise a change of price would never show in the prices that are read.
    ...(written === undefined || written.includes(price) ? [] : [`write_prices must contain ${price}, the price`]),
  ]
}

function toSettings(settings: Static<typeof Settings>) {
  const { url, auth_url: authUrl = DEFAULT_AUTH_URL, price = 'MachinePrice', token: access } = settings
  return {
    url,
    authUrl: isOrigin(authUrl) ? new URL(new URL(DEFAULT_AUTH_URL).pathname, authUrl).href : authUrl,
    credentials: access === undefined ? { refreshToken: settings.refresh_token ?? '' } : { token: access },
    operatorId: String(settings.operator_id),
    actorId: settings.actor_id === undefined ? undefined : String(settings.actor_id),
    /** The price of a lane that is the price for us. */
    price: price as PriceField,
    /** The price fields that a new price goes into. */
    writePrices: settings.write_prices ?? [price],
    usesPickLists: settings.picklists ?? false,
    queue: settings.queue,
  }
}

const isOrigin = (url: string): boolean => new URL(url).pathname === '/'
