/**
 * The configuration with what owners have set in place of what the environment leaves out. Every instance compares a counter
 * in the store with what it has read: a change counts at once where it was made, and within two seconds elsewhere.
 */
import type { Config } from '../../config.ts'
import type { PostalAddress } from '../../contract/common.ts'
import { SECOND } from '../../kernel/clock.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import type { Language, SettingName } from '../../kernel/deployment/settings.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { type Repeated, repeated } from '../../lib/repeat.ts'
import type { ContextParts } from '../../context.ts'
import { readStoredCurrency } from '../../store/claim-currency.ts'
import type { Queryable } from '../../store/store.ts'
import { readStored, readVersion } from './records.ts'

declare module '../../context.ts' {
  interface Context {
    readonly settings: LiveSettings
  }
}

const POLL_MS = 2 * SECOND

export interface LiveSettings extends Repeated {
  /** Its members change while the service runs: nobody keeps a copy. */
  readonly config: Config
  /** As the environment has it. */
  readonly defaults: Config
  /** Reads what is in the store now. */
  refresh(): Promise<void>
}

/** What owners have set; nothing of it where the environment says otherwise. */
interface Owned {
  readonly buyer_name?: string
  readonly delivery_address?: PostalAddress
  readonly currency?: CurrencyCode
  readonly isCurrencyChosen?: boolean
  readonly time_zone?: string
  readonly language?: Language
  readonly trip_cost?: number
  readonly stop_cost?: number
}

type Followed =
  | 'buyerName'
  | 'defaultDestination'
  | 'currency'
  | 'isCurrencyChosen'
  | 'timeZone'
  | 'language'
  | 'planParams'

export function liveSettings({ store, config, log }: Pick<ContextParts, 'store' | 'config' | 'log'>): LiveSettings {
  let version: number | undefined
  let current = withOwned(config, {})
  let running: Promise<void> = Promise.resolve()

  async function compare(): Promise<void> {
    const stored = await readVersion(store.db)
    if (stored === version) return
    current = withOwned(config, await readOwned(store.db, config))
    version = stored
  }

  /** One after the other: an older state must not replace a newer one. */
  function refresh(): Promise<void> {
    running = running.catch(() => {}).then(compare)
    return running
  }

  const live = Object.defineProperties(
    { ...config },
    Object.fromEntries(
      Object.keys(current).map((name) => [name, { enumerable: true, get: () => current[name as Followed] }]),
    ),
  )
  return {
    config: live,
    defaults: config,
    refresh,
    ...repeated(POLL_MS, refresh, (err) => log.warn({ err }, 'could not compare the settings with the store')),
  }
}

/** The currency is that of the database: it was fixed by the first start, or by an owner since. */
async function readOwned(db: Queryable, { setOnServer }: Pick<Config, 'setOnServer'>): Promise<Owned> {
  const stored = await readStored(db)
  const values = Object.fromEntries([...stored].map(([name, json]) => [name, JSON.parse(json) as unknown])) as Owned
  const currency = await readStoredCurrency(db)
  const owned = {
    ...values,
    ...(currency !== undefined && { currency }),
    ...(stored.has('currency') && { isCurrencyChosen: true }),
  }
  return Object.fromEntries(Object.entries(owned).filter(([name]) => !setOnServer.has(name as SettingName)))
}

const withOwned = (config: Config, owned: Owned): Pick<Config, Followed> => ({
  buyerName: owned.buyer_name ?? config.buyerName,
  defaultDestination: owned.delivery_address ?? config.defaultDestination,
  currency: owned.currency ?? config.currency,
  isCurrencyChosen: owned.isCurrencyChosen ?? config.isCurrencyChosen,
  timeZone: owned.time_zone ?? config.timeZone,
  language: owned.language ?? config.language,
  planParams: {
    ...config.planParams,
    ...omitUndefined({ trip_cost: owned.trip_cost, stop_cost: owned.stop_cost }),
  },
})
