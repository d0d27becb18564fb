/** What holds for the whole deployment: who buys, where goods go, currency, zone, language, what driving costs. */
import { type Static, Type } from 'typebox'
import { LANGUAGES, SETTING_NAMES } from '../../kernel/deployment/settings.ts'
import { Amount, Currency, ENVELOPE, POSTAL_ADDRESS, PostalAddress, Timestamp } from '../common.ts'
import { LINE_MAX, SETTING_COST_MAX } from '../limits.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

const CURRENCY_LETTERS = 3
const ZONE_MAX = 100
const cost = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: SETTING_COST_MAX, description }))

/** Null takes a setting back. */
export const SettingsRequest = request('SettingsRequest', {
  buyer_name: Type.Optional(nullable(text(LINE_MAX, 'The name that suppliers know.'))),
  delivery_address: Type.Optional(nullable(request('DeliveryAddressRequest', POSTAL_ADDRESS))),
  currency: Type.Optional(
    Type.String({
      minLength: CURRENCY_LETTERS,
      maxLength: CURRENCY_LETTERS,
      description: 'ISO 4217. Only while nothing is stored in another one: amounts are never converted.',
    }),
  ),
  time_zone: Type.Optional(nullable(text(ZONE_MAX, 'IANA name. Days of sales are counted again.'))),
  language: Type.Optional(nullable(oneOf(LANGUAGES, { description: 'Of notices and reports.' }))),
  trip_cost: Type.Optional(cost('Of leaving the depot and coming back.')),
  stop_cost: Type.Optional(cost('Of one stop.')),
})
export type SettingsRequest = Static<typeof SettingsRequest>

const SettingValues = answer('SettingValues', {
  buyer_name: nullable(Type.String()),
  delivery_address: nullable(PostalAddress),
  currency: Currency,
  time_zone: Type.String(),
  language: oneOf(LANGUAGES),
  trip_cost: nullable(Amount),
  stop_cost: nullable(Amount),
})
export type SettingValues = Static<typeof SettingValues>

const SettingChange = answer('SettingChange', {
  at: Timestamp,
  setting: oneOf(SETTING_NAMES),
  before: Type.Unknown({ description: 'Null: it was not set.' }),
  after: Type.Unknown({ description: 'Null: it was taken back.' }),
  by: Type.String(),
})
export type SettingChange = Static<typeof SettingChange>

export const Settings = answer('Settings', {
  ...ENVELOPE,
  settings: SettingValues,
  set_on_server: Type.Immutable(
    Type.Array(oneOf(SETTING_NAMES), { description: 'The environment sets these; they cannot be changed here.' }),
  ),
  currency_chosen: Type.Boolean({
    description: 'False: it is only the default, and files with amounts wait until an owner chooses.',
  }),
  currency_in_use: nullable(
    oneOf(['sales', 'prices', 'purchases', 'price_lists', 'rules'], {
      description: 'What is stored in the currency, so that it cannot be changed any more; null: nothing is.',
    }),
  ),
  changes: list(SettingChange),
})
export type Settings = Static<typeof Settings>
export type CurrencyUse = NonNullable<Settings['currency_in_use']>
