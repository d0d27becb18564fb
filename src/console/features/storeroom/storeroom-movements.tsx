/** What came into the store room and went out of it, newest first. */
import type { StoreroomMovement } from '../../../contract/shapes/storeroom.ts'
import { client } from '../../lib/service/api.ts'
import { count, shortTime } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useNames } from '../../lib/service/queries.ts'
import { href, query, setQuery } from '../../lib/router.ts'
import { personName } from '../../lib/text/value-text.ts'
import { STOREROOM } from '../../locales/storeroom.ts'
import { List, usePages } from '../../ui/table/list.tsx'
import { Field } from '../../ui/form/field.tsx'
import { SkuLink } from '../catalog/sku-link.tsx'

export function StoreroomMovements() {
  const t = textsOf(STOREROOM).movements
  const [from, to, sku] = [query('from'), query('to'), query('sku')]
  const filters = {
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(sku ? { sku_id: sku } : {}),
  }
  const movements = usePages(
    `storeroom movements ${JSON.stringify(filters)}`,
    (limit, signal) => client.pages.listStoreroomMovements({ query: { ...filters, limit }, signal }),
    (page) => page.movements,
    ['replenishment', 'location'],
  )
  const list = movements.data ?? []
  const { name } = useNames(list.map(({ reference }) => reference?.location))
  return (
    <>
      <div class="filters">
        <div class="date-range">
          <Field label={texts().orders.from} type="date" value={from} onInput={(day) => setQuery({ from: day })} />
          <Field label={texts().orders.to} type="date" value={to} onInput={(day) => setQuery({ to: day })} />
        </div>
      </div>
      {sku ? (
        <p class="note">
          {t.only(list[0]?.item.title ?? sku)}{' '}
          <button type="button" class="linklike" onClick={() => setQuery({ sku: undefined })}>
            {t.all}
          </button>
        </p>
      ) : null}
      <List
        rows={movements}
        filterNames={['from', 'to', 'sku']}
        icon="storeroom"
        none={t.none}
        class="movements"
        csv={textsOf(STOREROOM).views.movements}
        keyOf={(movement) => `${list.indexOf(movement)}`}
        columns={[
          { title: words().product, cell: ({ item }) => <SkuLink id={item.id}>{item.title}</SkuLink> },
          { title: t.when, value: ({ at }) => at, cell: ({ at }) => shortTime(at) },
          { title: t.change, isNumber: true, value: ({ units }) => units, cell: unitsCell },
          { title: t.kind, cell: kindText },
          { title: t.why, cell: (movement) => <Why movement={movement} name={name} />, value: whyText },
          { title: t.by, cell: ({ by }) => by && personName(by.name) },
        ]}
      />
    </>
  )
}

const unitsCell = ({ units }: StoreroomMovement) => (
  <strong class={units > 0 ? 'toned ok' : ''}>{`${units > 0 ? '+' : '−'}${count(Math.abs(units))}`}</strong>
)

/** Taken back by an undo: it goes the other way. */
function kindText({ kind, units, reason }: StoreroomMovement): string {
  const t = textsOf(STOREROOM).movements
  if (reason === 'damaged' || reason === 'expired') return textsOf(STOREROOM).count.reasons[reason]
  const isUndone = (kind === 'loaded' && units > 0) || ((kind === 'bought' || kind === 'returned') && units < 0)
  return isUndone ? t.undone(t.kinds[kind]) : t.kinds[kind]
}

const whyText = ({ reference, note }: StoreroomMovement): string =>
  [reference?.location, reference?.run ?? reference?.id, note].filter(Boolean).join(' · ')

function Why({ movement, name }: { readonly movement: StoreroomMovement; readonly name: (id: string) => string }) {
  const { reference, note } = movement
  const run = reference?.type === 'run' ? reference.id : reference?.run
  return (
    <>
      {reference?.type === 'order' ? (
        may('getOrder') ? (
          <a href={href.purchase(reference.id)}>{reference.id}</a>
        ) : (
          reference.id
        )
      ) : null}
      {run === undefined ? null : <a href={href.run(run)}>{run}</a>}
      {reference?.location === undefined ? null : (
        <>
          {run === undefined ? '' : ' · '}
          <a href={href.machine(reference.location)}>{name(reference.location)}</a>
        </>
      )}
      {note === undefined ? null : <p class="faint">{note}</p>}
      {reference === null && note === undefined ? <span class="faint">–</span> : null}
    </>
  )
}
