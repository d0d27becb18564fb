/** Changing what the environment leaves out: one transaction with its history, its event and its entry in the hash chain. */
import { type CurrencyUse, SettingsRequest } from '../../contract/shapes/settings.ts'
import { callerName, currentCaller } from '../../kernel/caller.ts'
import { isTimeZone } from '../../kernel/clock.ts'
import { isCurrency } from '../../kernel/currency.ts'
import { type ErrorMessage, error } from '../../kernel/message.ts'
import { type Outcome, RefusedError, accept, catchRefusal, refuseAll, refuse } from '../../kernel/outcome.ts'
import type { SettingName } from '../../kernel/deployment/settings.ts'
import { recordEvent } from '../../record/events/index.ts'
import { moveToZone } from '../../route/sales/index.ts'
import { changeCurrency } from '../../store/claim-currency.ts'
import type { Tx } from '../../store/store.ts'
import type { Context } from '../../context.ts'
import { findCurrencyUse } from './currency-use.ts'
import { countChange, insertChange, readStored } from './records.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config' | 'settings' | 'connectionsHome' | 'readRules'>

/** Members that are null are taken back. */
export const changeSettings = (ctx: Deps, request: SettingsRequest): Promise<Outcome<void>> =>
  catchRefusal(async () => {
    const problems = [...findUnknown(request), ...findProblems(request)]
    if (problems.length > 0) return refuseAll(problems)
    const wanted = toWanted(request)
    const locked = [...wanted.keys()].filter((name) => ctx.config.setOnServer.has(name))
    if (locked.length > 0) return refuseAll(locked.map(setOnServer))
    await ctx.store.transaction(async (tx) => {
      await countChange(tx)
      await applyChange(ctx, tx, wanted)
    })
    await ctx.settings.refresh()
    // Adapters are opened with the currency and the zone.
    await ctx.connectionsHome?.refresh()
    return accept(undefined)
  })

/** A misspelt name would silently change nothing. */
const findUnknown = (request: object): readonly ErrorMessage[] =>
  Object.keys(request)
    .filter((name) => !Object.hasOwn(SettingsRequest.properties, name))
    .map((name) => error('invalid', 'No such setting', `$.${name}`))

function findProblems({ currency, time_zone: zone }: SettingsRequest): readonly ErrorMessage[] {
  return [
    ...(currency === undefined || isCurrency(currency)
      ? []
      : [error('invalid', `"${currency}" is not an ISO 4217 currency code such as CNY, USD or EUR`, '$.currency')]),
    ...(zone === undefined || zone === null || isTimeZone(zone)
      ? []
      : [error('invalid', `"${zone}" is not an IANA time zone name such as America/Chicago`, '$.time_zone')]),
  ]
}

const setOnServer = (name: SettingName): ErrorMessage =>
  error('not_editable', `${name} is set on the server and can only be changed there`, `$.${name}`)

/** As JSON; null: taken back. Blank lines of an address are none, and an address without any line is none. */
function toWanted({ delivery_address: address, ...others }: SettingsRequest): ReadonlyMap<SettingName, string | null> {
  const lines = Object.entries(address ?? {}).flatMap(([line, text]) => (text?.trim() ? [[line, text.trim()]] : []))
  const cleaned = { ...others, ...(address !== undefined && { delivery_address: lines.length > 0 ? lines : null }) }
  return new Map(
    Object.entries(cleaned).map(([name, value]) => [
      name as SettingName,
      value === null ? null : JSON.stringify(Array.isArray(value) ? Object.fromEntries(value) : value),
    ]),
  )
}

async function applyChange(ctx: Deps, tx: Tx, wanted: ReadonlyMap<SettingName, string | null>): Promise<void> {
  const stored = await readStored(tx)
  const changed: SettingName[] = []
  for (const [setting, after] of wanted) {
    if ((stored.get(setting) ?? null) === after) continue
    const before = stored.get(setting) ?? null
    if (setting === 'currency' && after !== null) await setCurrency(ctx, tx, JSON.parse(after) as string)
    if (setting === 'time_zone') await moveToZone(tx, after === null ? ctx.settings.defaults.timeZone : parsed(after))
    const change = { setting, before, after, at: ctx.clock.now(), by: callerName() }
    await insertChange(ctx, tx, change, currentCaller()?.by)
    changed.push(setting)
  }
  if (changed.length === 0) return
  const settings = changed.join(', ')
  await recordEvent(ctx, tx, {
    kind: 'guardrail',
    code: 'settings_changed',
    params: { settings, by: callerName() },
    summary: `Settings changed by ${callerName()}: ${settings}`,
    reasoning: 'An owner set what the environment leaves out.',
  })
}

const parsed = (json: string): string => JSON.parse(json) as string

async function setCurrency(ctx: Deps, tx: Tx, currency: string): Promise<void> {
  // The default, which somebody has chosen now.
  if (currency === ctx.config.currency) return
  if (ctx.config.acmeSupply || ctx.config.acmeMachine)
    throw new RefusedError(
      refuse('not_editable', 'ACME_SUPPLY_* and ACME_MACHINE_* state amounts in CNY', '$.currency').refusal,
    )
  const use = await findCurrencyUse(ctx, tx)
  if (use) throw new RefusedError(refuse('not_editable', inUse(use, ctx.config.currency), '$.currency').refusal)
  await changeCurrency(tx, currency)
}

const STORED_IN: Readonly<Record<CurrencyUse, string>> = {
  sales: 'Sales are stored',
  prices: 'Prices of machines are stored',
  purchases: 'Purchases are stored',
  price_lists: 'A price list was read',
  rules: 'Limits in the rules are set',
}

const inUse = (use: CurrencyUse, currency: string): string =>
  `${STORED_IN[use]} in ${currency}, and amounts are never converted. For another currency start with a new database`
