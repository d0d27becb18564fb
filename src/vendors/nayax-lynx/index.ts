/**
 * Machines on Nayax Lynx. The platform has a product map for each machine (lanes, prices, what is missing in them) and its
 * last sales. A new price changes the map; whether the machine sells at it depends on how the machine is wired.
 */
import { DAY } from '../../kernel/clock.ts'
import { digitsOf } from '../../kernel/currency.ts'
import { type AdapterModule, type AdapterNeeds, type OpenedAdapter, TIME_ZONE_PROMPT } from '../adapter-module.ts'
import type { Closable } from '../adapter-options.ts'
import type { Failure, Result } from '../contract.ts'
import type { VendorCapability } from '../registration.ts'
import type { LedgerRecord, MachineHealth, MachineSlot, MachineVendor } from '../machine-vendor.ts'
import { toMachineSlot } from '../lanes.ts'
import { pageOfRecords } from '../ledger-page.ts'
import { succeed, failUnsupported } from '../result.ts'
import { accountSales } from './account-sales.ts'
import { lynxAccount, machinePath } from './account.ts'
import { lynxApi, NOT_PERMITTED } from './api.ts'
import { healthOf, readAlerts, readStatus } from './health.ts'
import { type LynxLane, slotsOf } from './lanes.ts'
import { readPickList, withPickListStock } from './pick-list.ts'
import { mergeSales, queueSales } from './queue-sales.ts'
import { sendPickList } from './send-pick-list.ts'
import { QUEUE_PROMPTS } from '../sqs/settings.ts'
import { type LynxSettings, checkSettings, SECRETS } from './settings.ts'
import { updateLynxPrices } from './update-prices.ts'

/** Older alerts are history. */
const ALERTS_SINCE_MS = DAY

export const nayaxLynx: AdapterModule<LynxSettings> = {
  adapter: 'nayax-lynx',
  role: 'machine',
  secrets: SECRETS,
  check: checkSettings,
  open: openLynx,
  hosted: { files: [], account: ({ url, operatorId }) => `${new URL(url).origin} ${operatorId}` },
  prompts: [
    { path: 'url', question: 'Address of the API', default: 'https://lynx.nayax.com/operational' },
    { path: 'token', question: 'Access token', isOptional: true },
    { path: 'refresh_token', question: 'Refresh token, if there is no access token', isOptional: true },
    { path: 'operator_id', question: 'Operator id, whose products are used' },
    {
      path: 'price',
      question: 'Which price of a lane is the price',
      choices: ['MachinePrice', 'CashPrice', 'CreditCardPrice'],
      isOptional: true,
      default: 'MachinePrice',
    },
    { path: 'picklists', question: 'Send restock recommendations as pick lists', kind: 'boolean', isOptional: true },
    ...QUEUE_PROMPTS,
    TIME_ZONE_PROMPT,
  ],
}

function openLynx(settings: LynxSettings, needs: AdapterNeeds): OpenedAdapter {
  const { clock, notice, connection } = needs
  const currency = { code: connection.currency, digits: digitsOf(connection.currency) }
  const api = lynxApi(settings, needs)
  const account = lynxAccount(api, settings, { clock, currency })
  const sales = accountSales(api, account, currency, needs)
  const queue = settings.queue && queueSales(settings.queue, account, currency, needs)
  const writing = { fields: settings.writePrices, currency }
  const { usesPickLists } = settings

  const readMachineStatus = (id: string) =>
    api.get('status', `${machinePath(id)}/status`, (json) => readStatus(json, id, clock.now()))

  /** The pick list counts for lanes of which the product map does not state the stock. */
  async function loadKnownStock(id: string, lanes: readonly LynxLane[]): Promise<Result<readonly LynxLane[]>> {
    if (!usesPickLists || lanes.every(({ stock }) => stock !== null)) return succeed(lanes)
    // Accounts may read the machine and not this: its stock then stays unknown.
    const withoutPickList = (failure: Failure): Result<readonly LynxLane[]> => {
      if (failure.reason !== 'unauthorized' || failure.raw !== NOT_PERMITTED) return failure
      notice?.(`Machine ${id}: the account may not read its pick list, so the stock of some lanes is unknown`)
      return succeed(lanes)
    }
    const status = await readMachineStatus(id)
    if (!status.ok) return withoutPickList(status)
    const list = await api.get('pick_list', `${machinePath(id)}/pickList`, (json) => readPickList(json, id))
    return list.ok ? succeed(withPickListStock(lanes, list.value, status.value.pickListAt)) : withoutPickList(list)
  }

  async function loadSent(): Promise<Result<readonly LedgerRecord[]>> {
    if (!queue) return succeed([])
    const [machines, products] = [await account.machines(), await account.products()]
    if (!machines.ok) return machines
    return products.ok ? succeed(await queue.records(new Set(machines.value.keys()), products.value)) : products
  }

  const vendor: MachineVendor & Closable = {
    role: 'machine',

    async inventory(id): Promise<Result<readonly MachineSlot[]>> {
      const machine = await account.machine(id)
      if (!machine.ok) return machine
      const products = await account.products()
      if (!products.ok) return products
      const map = await account.productMap(id)
      if (!map.ok) return map
      for (const text of map.value.notices) notice?.(`Machine ${id}: ${text}`)
      const lanes = await loadKnownStock(id, map.value.lanes)
      if (!lanes.ok) return lanes
      const { slots, unreadable } = slotsOf(lanes.value, map.unreadable ?? [], products.value)
      return succeed(slots.map(toMachineSlot), [...(map.unreadable ?? []), ...unreadable])
    },

    async ledger(query) {
      const read = await sales.read()
      if (!read.ok) return read
      const { records, completeFrom, unreadable } = read.value
      const sent = await loadSent()
      if (!sent.ok) return sent
      const merged = mergeSales(records, sent.value)
      const page = {
        ...pageOfRecords(merged, query, unreadable.length),
        completeFrom,
        ...(queue && { unreadableFiles: await queue.aside() }),
      }
      return succeed(page, unreadable)
    },

    ...(queue && { receiveMessages: queue.receive }),

    async cash(id) {
      const read = await sales.read()
      return read.ok ? succeed(read.value.cash.get(id)) : read
    },

    updatePrices: (id, prices, permit) => updateLynxPrices({ api, account, writing, notice }, id, prices, permit),

    restockRecommend: async (id, _ref, lines, permit) =>
      usesPickLists ? sendPickList({ api, account }, id, lines, permit) : failUnsupported('restockRecommend'),

    async locations() {
      const machines = await account.machines({ live: true })
      if (!machines.ok) return machines
      const listed = [...machines.value.values()].map(({ id, name, address }) => ({
        id,
        name,
        // The platform states the distance from UTC only, which is not a time zone: that of the connection counts.
        timeZone: connection.timeZone,
        ...(address !== null && { address }),
      }))
      return succeed(listed, machines.unreadable)
    },

    async health(id): Promise<Result<MachineHealth>> {
      const status = await readMachineStatus(id)
      if (!status.ok && status.raw === NOT_PERMITTED)
        return succeed({
          online: null,
          lastSeenAt: null,
          problems: [`The status of the machine could not be read: ${status.message}`],
        })
      if (!status.ok) return status
      const alerts = await api.get('alerts', `${machinePath(id)}/lastAlerts`, (json) => readAlerts(json, id))
      if (!alerts.ok) {
        const problems = [`The alerts of the machine could not be read: ${alerts.message}`]
        return succeed({ ...healthOf(status.value, [], 0), problems })
      }
      return succeed(healthOf(status.value, alerts.value, clock.now() - ALERTS_SINCE_MS))
    },

    async close() {
      await queue?.close()
      await api.close()
    },
  }
  return { vendor, capabilities: capabilitiesOf(settings), ...(queue && { verify: queue.verify }) }
}

const capabilitiesOf = ({ usesPickLists }: LynxSettings): readonly VendorCapability[] => [
  'inventory',
  'ledger',
  'locations',
  'health',
  'cash',
  'updatePrices',
  ...(usesPickLists ? (['restockRecommend'] as const) : []),
]
