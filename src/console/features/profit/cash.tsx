/** Cash: what machines should hold, what was collected, and how far the two differ. For owner and operator. */
import { useState } from 'preact/hooks'
import type { CashCollection, CashMachine } from '../../../contract/shapes/money/cash.ts'
import type { CurrencyCode } from '../../../kernel/currency.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { money } from '../../lib/text/format.ts'
import { texts, textsOf, words } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { personName } from '../../lib/text/value-text.ts'
import { CASH } from '../../locales/money/cash.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/table/more-button.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { Money, RelativeTime, Timestamp } from '../../ui/value.tsx'

const PAGE = 50

export function Cash() {
  const t = textsOf(CASH)
  const cash = useResource('cash', (signal) => client.getCash({ query: { limit: PAGE }, signal }), ['location', 'sync'])
  return (
    <>
      <PageHeader title={texts().pages.cash} lead={t.lead} />
      <Loaded resource={cash} lines={6} height={40}>
        {({ currency, machines, collections, pagination }) =>
          machines.length === 0 && collections.length === 0 ? (
            <Empty icon="cash" title={t.none}>
              {t.noneText}
            </Empty>
          ) : (
            <div class="stack">
              <Section title={t.machines} note={t.machinesNote} flush>
                <DataTable
                  csv={t.machines}
                  rows={machines}
                  keyOf={({ location }) => location}
                  columns={[
                    {
                      title: words().machine,
                      cell: ({ location, name }) => <a href={href.machine(location)}>{name}</a>,
                    },
                    { title: t.expected, isNumber: true, cell: ({ expected }) => sum(expected, currency) },
                    {
                      title: t.collected,
                      cell: ({ last_collected_at: at }) => (at === null ? words().never : <RelativeTime at={at} />),
                    },
                    { title: words().amount, isNumber: true, cell: ({ amount }) => sum(amount, currency) },
                    { title: t.difference, isNumber: true, cell: (row) => signed(row.difference, currency) },
                    { title: t.running, isNumber: true, cell: (row) => signed(runningOf(row), currency) },
                  ]}
                />
              </Section>
              <Collections first={collections} cursor={pagination.cursor} currency={currency} />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

interface CollectionsProps {
  readonly first: readonly CashCollection[]
  readonly cursor: string | undefined
  readonly currency: CurrencyCode
}

function Collections({ first, cursor, currency }: CollectionsProps) {
  const t = textsOf(CASH)
  const [older, setOlder] = useState<{ readonly rows: readonly CashCollection[]; readonly cursor?: string }>()
  const next = older ? older.cursor : cursor
  const more = useAction(async () => {
    const { collections, pagination } = await client.getCash({ query: { limit: PAGE, cursor: next } })
    setOlder({ rows: [...(older?.rows ?? []), ...collections], ...pagination })
  })
  const rows = [...new Map([...first, ...(older?.rows ?? [])].map((row) => [row.id, row])).values()]
  return (
    <Section title={t.collections} flush>
      {rows.length === 0 ? (
        <Empty icon="cash" title={t.noCollections} />
      ) : (
        <DataTable
          csv={t.collections}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { title: t.at, cell: ({ at }) => <Timestamp at={at} /> },
            {
              title: words().machine,
              cell: ({ location, name }) =>
                name === undefined ? location : <a href={href.machine(location)}>{name}</a>,
            },
            { title: words().amount, isNumber: true, cell: ({ amount }) => sum(amount, currency) },
            { title: t.expected, isNumber: true, cell: ({ expected }) => sum(expected, currency) },
            { title: t.difference, isNumber: true, cell: (row) => signed(row.difference, currency) },
            { title: t.bag, cell: ({ bag }) => bag },
            { title: t.by, cell: ({ by }) => by && personName(by.name) },
          ]}
        />
      )}
      {more.error === undefined ? null : <Failure error={more.error} />}
      {next === undefined ? null : <MoreButton busy={more.busy} onClick={() => void more.run()} />}
    </Section>
  )
}

/** Zero says that all is well, which nobody knows where no collection could be compared. */
const runningOf = ({ difference, running_difference: running }: CashMachine): number | null =>
  difference === null && running === 0 ? null : running

const sum = (amount: number | null, currency: CurrencyCode) =>
  amount !== null && <Money amount={amount} currency={currency} />

/** Too little is red; too much is not good either, and has a sign. */
const signed = (amount: number | null, currency: CurrencyCode) =>
  amount !== null && (
    <span class={amount < 0 ? 'toned bad' : undefined}>{`${amount > 0 ? '+' : ''}${money(amount, currency)}`}</span>
  )
