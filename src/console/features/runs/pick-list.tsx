/** The pick list of a run: what goes into the van, and what goes into each machine. On screen, on paper and as CSV. */
import { Fragment } from 'preact'
import '../../styles/visits.css'
import type { PickList, PickProduct, PickStop } from '../../../contract/shapes/pick-list.ts'
import { client } from '../../lib/service/api.ts'
import { downloadCsv } from '../../lib/text/csv.ts'
import { day } from '../visits/device/day.ts'
import { useDevice } from '../visits/device/use-device.ts'
import { shortTime } from '../../lib/text/format.ts'
import { texts, words, textsOf } from '../../lib/text/i18n.ts'
import { hasStoreroom, may } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href, query } from '../../lib/router.ts'
import { slotPlace } from '../machines/slot-place.ts'
import { type Packed, usePacked } from './packed.ts'
import { moveText } from '../visits/move-text.ts'
import { VISITS } from '../../locales/visits.ts'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Loading, Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Picture } from '../../ui/picture.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { QueryChoice } from '../../ui/table/query-filters.tsx'

export function PickListPage({ id }: { readonly id: string }) {
  useDevice()
  const t = textsOf(VISITS).pick
  const refresh = query('split') === 'stock'
  const read = useResource(
    `pick list ${id} ${refresh}`,
    (signal) => client.getPickList({ params: { id }, query: refresh ? { refresh } : {}, signal }),
    ['replenishment', 'sync', 'location'],
  )
  // Without a line: the list as this device read it last, which is the one of the plan.
  const kept = read.error === undefined ? undefined : day.value?.pickLists.find(({ run }) => run === id)
  const list = read.data ?? kept
  return (
    <>
      <PageHeader
        title={texts().pages.pickList}
        back={{ href: href.run(id), text: texts().pages.run }}
        lead={list ? t.lead(list.units, list.stops.filter(({ status }) => status === 'open').length) : ' '}
        actions={
          list && list.stops.length > 0 ? (
            <>
              <Button icon="print" onClick={() => print()}>
                {t.print}
              </Button>
              <Button icon="download" onClick={() => download(list)}>
                {t.csv}
              </Button>
            </>
          ) : undefined
        }
      />
      <div class="stack pick-list">
        {kept && !read.data ? <Notice tone="warn">{t.kept(shortTime(day.value?.asOf ?? ''))}</Notice> : null}
        {list ? (
          <PickView list={list} refresh={refresh} />
        ) : read.error !== undefined && !read.busy ? (
          <Failure error={read.error} retry={() => void read.reload()} />
        ) : (
          <Loading>
            <Skeleton lines={8} height={36} />
          </Loading>
        )}
      </div>
    </>
  )
}

function download({ run, stops }: PickList): void {
  const t = textsOf(VISITS).pick
  downloadCsv(`pick-list-${run}.csv`, [
    [t.stop, words().machine, 'ID', words().slot, words().product, texts().pages.sku, t.quantity, t.fillTo, t.expected],
    ...stops.flatMap((stop) =>
      stop.lines.map((line) => [
        stop.sequence,
        stop.name,
        stop.location,
        line.slot_id,
        line.item.title,
        line.item.id,
        line.quantity,
        line.fill_to ?? undefined,
        line.expected_stock ?? undefined,
      ]),
    ),
  ])
}

function PickView({ list, refresh }: { readonly list: PickList; readonly refresh: boolean }) {
  const t = textsOf(VISITS).pick
  const packed = usePacked(list.run)
  // Nothing once every stop is received.
  const loaded = list.products.filter(({ units }) => units > 0)
  if (list.stops.length === 0)
    return (
      <Empty icon="runs" title={t.none}>
        {t.noneText}
      </Empty>
    )
  return (
    <>
      <QueryChoice
        of="split"
        label={t.split}
        tabs={{ plan: t.splits.plan, stock: t.splits.stock }}
        value={refresh ? 'stock' : 'plan'}
      />
      {list.refreshed ? <p class="note">{t.splitNote}</p> : null}
      {loaded.length > 0 ? (
        <Section title={t.van} flush>
          <PickTable
            class="van"
            heads={hasStoreroom() ? [words().units, t.fromStoreroom, t.fromDelivery] : [words().units]}
            rows={loaded.map(vanRow)}
            packed={packed}
          />
        </Section>
      ) : null}
      {list.stops.map((stop) => (
        <StopSection key={stop.location} run={list.run} stop={stop} packed={packed} />
      ))}
    </>
  )
}

interface PickRow {
  readonly key: string
  readonly sku: string
  readonly title: string
  readonly facts: readonly string[]
  readonly warning?: string | undefined
  readonly numbers: readonly (number | string)[]
}

interface PickTableProps {
  readonly heads: readonly string[]
  readonly rows: readonly PickRow[]
  readonly packed: Packed
  readonly class?: string
}

/** Narrow enough for a phone and for paper: one line of facts below each name, and a box to tick. */
const PickTable = ({ heads, rows, packed, class: own = '' }: PickTableProps) => (
  <table class={`pick-table ${own}`}>
    <thead>
      <tr>
        <th scope="col">{words().product}</th>
        {heads.map((head) => (
          <th key={head} scope="col" class="number">
            {head}
          </th>
        ))}
        <th scope="col">{textsOf(VISITS).pick.packed}</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ key, sku, title, facts, warning, numbers }) => (
        <tr key={key}>
          <td>
            <div class="line pictured">
              <Picture sku={sku} />
              <div>
                {title}
                <span class="faint">
                  {facts.map((fact, i) => (
                    <Fragment key={fact}>
                      <span class="one-piece">{i < facts.length - 1 ? `${fact} ·` : fact}</span>{' '}
                    </Fragment>
                  ))}
                </span>
                {warning ? <span class="toned warn">{warning}</span> : null}
              </div>
            </div>
          </td>
          {numbers.map((number, index) => (
            <td key={heads[index]} class={index === 0 ? 'number strong' : 'number'}>
              {number}
            </td>
          ))}
          <td>
            <label class="tick-box">
              <input
                type="checkbox"
                aria-label={textsOf(VISITS).pick.isPacked(title)}
                checked={packed.has(key)}
                onChange={() => packed.toggle(key)}
              />
            </label>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

function vanRow(product: PickProduct): PickRow {
  const { item, source, locations, boxes, singles, spare, units, from_storeroom: stored } = product
  const t = textsOf(VISITS).pick
  return {
    key: `van ${item.id}`,
    sku: item.id,
    title: item.title,
    facts: [
      ...(source ? [source] : []),
      t.forMachines(locations.length),
      ...(boxes && boxes.count > 0 && stored === 0 ? [t.packText(boxes.count, boxes.contains, singles)] : []),
      ...(spare > 0 && hasStoreroom() ? [t.stays(spare)] : []),
    ],
    warning: spare > 0 && !hasStoreroom() ? t.spare(spare) : undefined,
    numbers: hasStoreroom() ? [units, stored, product.from_delivery] : [units],
  }
}

interface StopProps {
  readonly run: string
  readonly stop: PickStop
  readonly packed: Packed
}

function StopSection({ run, stop, packed }: StopProps) {
  const t = textsOf(VISITS).pick
  const isOpen = stop.status === 'open'
  return (
    <Section
      title={`${stop.sequence}. ${stop.name}`}
      note={stop.address?.street_address}
      flush
      class="pick-stop"
      aside={
        !isOpen ? (
          <Badge tone="ok">{t.received}</Badge>
        ) : may('receiveStop') ? (
          <a href={href.visit(stop.location, run)}>{texts().pages.visit}</a>
        ) : undefined
      }
    >
      {stop.lane_changes ? (
        <ul class="rows pick-lanes">
          {stop.lane_changes.map(({ lane, position, now, proposed }) => (
            <li key={lane}>{textsOf(VISITS).lanes.change(slotPlace(lane, { position }), proposed.title, now.title)}</li>
          ))}
        </ul>
      ) : null}
      {stop.moves ? (
        <ul class="rows pick-lanes">
          {stop.moves.map((move) => (
            <li key={move.slot_id}>{moveText(move)}</li>
          ))}
        </ul>
      ) : null}
      <PickTable
        heads={[t.quantity, t.fillTo]}
        packed={packed}
        rows={stop.lines.map((line) => ({
          key: line.slot_id,
          sku: line.item.id,
          title: line.item.title,
          facts: [
            slotPlace(line.slot_id, line),
            ...(line.expected_stock === null ? [] : [textsOf(VISITS).expected(line.expected_stock)]),
          ],
          numbers: [line.quantity, line.fill_to ?? '–'],
        }))}
      />
    </Section>
  )
}
