/** The roster: status, stock and last update of every machine. */
import type { ProfitRow } from '../../../contract/shapes/money/sales.ts'
import { count, DAY, nowMs, percent } from '../../lib/text/format.ts'
import type { Presence } from '../../../kernel/stock-state.ts'
import { fillShare, healthByLocation, presence } from './health.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useProfitOfMachines } from '../profit/profit.ts'
import { href, query } from '../../lib/router.ts'
import { useGuardrails, useLocations, useMachineStocks } from '../../lib/service/queries.ts'
import { MAP } from '../../locales/map.ts'
import { PROFIT } from '../../locales/money/profit.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { MachineMap } from './machine-map.tsx'
import { Badge, Money, RelativeTime, StockBar } from '../../ui/value.tsx'
import { ListPage } from '../../ui/table/list.tsx'
import type { Tone } from '../../lib/text/tone.ts'
import { SyncButton, SyncOutcome, useSync } from './sync.tsx'
import { QueryChoice } from '../../ui/table/query-filters.tsx'

export const PRESENCE_TONE: Readonly<Record<Presence, Tone>> = {
  online: 'ok',
  offline: 'bad',
  not_reporting: 'bad',
  never: 'warn',
  unknown: 'calm',
}

const daysSince = (at: string): number => Math.max(0, Math.floor((nowMs() - Date.parse(at)) / DAY))

export function Machines() {
  const t = texts().machines
  const locations = useLocations()
  const stocks = useMachineStocks()
  const sync = useSync(() => void Promise.all([locations.reload(), stocks.reload()]))
  const health = healthByLocation(stocks.data?.visits ?? [])
  const profits = useProfitOfMachines().data
  const currency = useGuardrails().data?.currency
  const profitCell = (id: string, of: (row: ProfitRow) => number) => {
    const row = profits?.get(id)
    return row && currency && <Money amount={of(row)} currency={currency} />
  }
  const isMap = query('view') === 'map'
  const setUp = texts().pages.setupMachines
  return (
    <ListPage
      title={texts().pages.machines}
      lead={t.lead}
      actions={
        <>
          <ButtonLink needs="changePrices" href="/prices">
            {textsOf(MAP).prices}
          </ButtonLink>
          <ButtonLink needs="putLocation" href="/setup/machines">
            {setUp}
          </ButtonLink>
          <SyncButton sync={sync} />
        </>
      }
      above={<SyncOutcome sync={sync} />}
      search={t.search}
      filters={
        <QueryChoice
          of="view"
          label={textsOf(MAP).view}
          value={isMap ? 'map' : 'list'}
          tabs={{ list: textsOf(MAP).list, map: textsOf(MAP).map }}
        />
      }
      rows={locations}
      searched={({ id, name, profile }) => `${id} ${name} ${profile?.city ?? ''} ${profile?.address ?? ''}`}
      icon="machines"
      none={t.none}
      next={
        <>
          <p>{t.noneText}</p>
          <ButtonLink needs="putLocation" kind="primary" href="/setup/machines">
            {setUp}
          </ButtonLink>
        </>
      }
      draw={isMap ? (list) => <MachineMap locations={list} health={health} /> : undefined}
      class="machines"
      csv={texts().pages.machines}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words().machine,
          sort: ({ name }) => name,
          cell: ({ id, name, profile }) => (
            <>
              <a href={href.machine(id)}>{name}</a>
              <p class="faint">
                {[profile?.city, profile?.spot ?? profile?.address].filter(Boolean).join(' · ') || id}
              </p>
            </>
          ),
        },
        {
          title: words().status,
          cell: (location) => {
            const status = presence(location, nowMs())
            return (
              <>
                <Badge tone={PRESENCE_TONE[status]}>{texts().presence[status]}</Badge>
                {location.profile_complete === false ? <Badge tone="calm">{words().profileIncomplete}</Badge> : null}
              </>
            )
          },
        },
        {
          title: words().stock,
          sort: ({ id }) => {
            const { slots, empty, low } = health(id)
            return slots === 0 ? undefined : 1 - (empty + low / 2) / slots
          },
          value: ({ id }) => {
            const { slots, empty, low } = health(id)
            return slots === 0 ? '' : t.stockText(slots, low, empty)
          },
          cell: ({ id }) => {
            const { slots, empty, low } = health(id)
            if (slots === 0) return undefined
            return (
              <span class="stock-cell">
                <StockBar slots={slots} low={low} empty={empty} />
                <span class="faint">{t.stockText(slots, low, empty)}</span>
              </span>
            )
          },
        },
        {
          title: t.fill,
          isNumber: true,
          cell: ({ id }) => {
            const share = fillShare(health(id))
            return share === undefined ? undefined : percent(share)
          },
        },
        {
          title: t.toOrder,
          isNumber: true,
          sort: ({ id }) => health(id).units,
          cell: ({ id }) => {
            const { units, stored } = health(id)
            if (units === 0) return undefined
            return (
              <>
                {count(units)}
                {stored === 0 ? null : (
                  <div class="faint supply">{texts().plan.storedAndOrdered(stored, units - stored)}</div>
                )}
              </>
            )
          },
        },
        may('getProfit') && {
          title: textsOf(PROFIT).sales7,
          isNumber: true,
          cell: ({ id }) => profitCell(id, ({ revenue }) => revenue),
        },
        may('getProfit') && {
          title: textsOf(PROFIT).profit7,
          isNumber: true,
          cell: ({ id }) => profitCell(id, (row) => row.profit),
        },
        {
          title: t.lastVisit,
          isNumber: true,
          sort: ({ last_visited_at: at }) => (at === undefined ? undefined : nowMs() - Date.parse(at)),
          cell: ({ last_visited_at: at }) => at && t.daysAgo(daysSince(at)),
        },
        {
          title: words().lastUpdate,
          cell: ({ last_synced_at: at }) =>
            at ? <RelativeTime at={at} /> : <span class="faint">{words().never}</span>,
        },
      ]}
    />
  )
}
