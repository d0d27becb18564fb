/** Settings of the deployment: which hold, and setting those that the environment leaves to owners. */
import { formatAmount } from '../../../kernel/currency.ts'
import { type SettingName, SETTING_NAMES } from '../../../kernel/deployment/settings.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../exit.ts'
import { parseAmount } from '../../format.ts'
import { parsePairs } from '../../lookups.ts'

/** Takes a setting back. */
const NONE = 'none'
const ADDRESS = 'delivery_address.'

const shownValue = (value: unknown, currency: string): string | undefined => {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number') return formatAmount(value, currency)
  return typeof value === 'string' ? value : Object.values(value).join(', ')
}

const list: Command = {
  name: 'settings list',
  alias: 'settings',
  summary: 'delivery address, currency, time zone, language, costs of driving',
  csv: true,
  examples: [['vendops settings', 'every setting with its value']],
  async run(context) {
    const { settings, set_on_server: fixed } = await context.client.getSettings()
    await context.writeJson({ settings, set_on_server: fixed })
    await context.writeTable(SETTING_NAMES, [
      { title: 'SETTING', cell: (name) => name },
      { title: 'VALUE', cell: (name) => shownValue(settings[name], settings.currency), flexible: true },
      { title: '', cell: (name) => (fixed.includes(name) ? 'set on the server' : undefined) },
    ])
    context.suggest('settings set NAME=VALUE', 'sets what the environment leaves out')
  },
}

const isSetting = (name: string): name is SettingName => (SETTING_NAMES as readonly string[]).includes(name)

const set: Command = {
  name: 'settings set',
  summary: 'set what the environment leaves out; with an owner’s key',
  args: [{ name: 'name=value', many: true }],
  details: `Amounts are in the currency of the deployment: 15 or 12.50. Lines of the address have names such as
delivery_address.street_address; what is not given of it stays. "none" takes a setting back. Every owner is told.`,
  examples: [
    ['vendops settings set time_zone=America/Chicago currency=USD', 'before the first price list'],
    [
      'vendops settings set delivery_address.street_address="12 Main St" delivery_address.phone_number=555-0100',
      'two lines of the address',
    ],
    ['vendops settings set trip_cost=20 stop_cost=4.50', 'what driving costs'],
  ],
  async run(context, args) {
    const { client } = context
    const pairs = parsePairs(args.rest('name=value'), 'time_zone=America/Chicago')
    const { settings } = await client.getSettings()
    const address: Record<string, string> = { ...settings.delivery_address }
    const body: Record<string, unknown> = {}
    for (const { key, value } of pairs) {
      if (key.startsWith(ADDRESS)) {
        address[key.slice(ADDRESS.length)] = value === NONE ? '' : value
        body['delivery_address'] = address
      } else if (!isSetting(key) || (key === 'delivery_address' && value !== NONE))
        throw new UsageError(`there is no setting "${key}"; vendops settings lists them`)
      else if (value === NONE) body[key] = null
      else body[key] = key.endsWith('_cost') ? parseAmount(value, settings.currency) : value
    }
    const answer = await client.changeSettings({ body })
    await context.writeJson({ settings: answer.settings, set_on_server: answer.set_on_server })
    await context.writeLines(pairs.map(({ key, value }) => `${key}: ${value}`))
  },
}

export const SETTINGS: readonly Command[] = [list, set]
