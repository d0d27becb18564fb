/** The settings as callers see them. */
import type { Config } from '../../config.ts'
import type { CurrencyUse, SettingChange, Settings } from '../../contract/shapes/settings.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { SETTING_NAMES } from '../../kernel/deployment/settings.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { StoredChange } from './records.ts'

export function settingsView(
  config: Config,
  use: CurrencyUse | undefined,
  changes: readonly StoredChange[],
): Omit<Settings, 'ucp'> {
  const { buyerName, defaultDestination, currency, timeZone, language, planParams, setOnServer, isCurrencyChosen } =
    config
  return {
    settings: {
      buyer_name: buyerName ?? null,
      delivery_address: defaultDestination ? omitUndefined(defaultDestination) : null,
      currency,
      time_zone: timeZone,
      language,
      trip_cost: planParams.trip_cost,
      stop_cost: planParams.stop_cost ?? planParams.visit_cost,
    },
    set_on_server: SETTING_NAMES.filter((name) => setOnServer.has(name)),
    currency_chosen: isCurrencyChosen || use !== undefined,
    currency_in_use: use ?? null,
    changes: changes.map((change) => changeView(change, timeZone)),
  }
}

const changeView = ({ at, setting, before, after, by }: StoredChange, timeZone: string): SettingChange => ({
  at: rfc3339(at, timeZone),
  setting,
  before: before === null ? null : (JSON.parse(before) as unknown),
  after: after === null ? null : (JSON.parse(after) as unknown),
  by,
})
