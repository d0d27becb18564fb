/** The pick list of a run: what goes into the van, and what goes into each machine. On screen, on paper and as CSV. */
import '../styles/visits.css'
import { reachable } from '../lib/api.ts'
import { downloadCsv } from '../lib/csv.ts'
import { day } from '../lib/device/day.ts'
import type { DayVisit } from '../lib/device/day.ts'
import { sumOf } from '../lib/device/draft.ts'
import { useDevice } from '../lib/device/use-device.ts'
import { shortTime } from '../lib/format.ts'
import { texts } from '../lib/i18n.ts'
import { pickLines, vanLines } from '../lib/pick-list.ts'
import { href } from '../lib/router.ts'
import { visitTexts } from '../lib/visit-texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Section } from '../ui/section.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

export function PickListPage({ id }: { readonly id: string }) {
  const device = useDevice()
  const t = visitTexts().pick
  const known = day.value
  const visits = known?.visits.filter(({ run }) => run === id) ?? []
  const units = sumOf(vanLines(visits).map((line) => line.units))
  const download = () =>
    downloadCsv(`pick-list-${id}.csv`, [
      [t.machine, 'ID', t.slot, t.product, t.supplierItem, t.quantity, t.fillTo, t.expected],
      ...visits.flatMap((visit) =>
        pickLines(visit).map((line) => [
          visit.name,
          visit.location,
          line.id,
          line.title,
          line.source,
          line.quantity,
          line.fillTo,
          line.stock,
        ]),
      ),
    ])
  return (
    <>
      <PageHeader
        title={t.title}
        back={{ href: href.run(id), text: id }}
        lead={visits.length > 0 ? t.lead(units, visits.length) : ' '}
        actions={
          visits.length > 0 ? (
            <>
              <Button icon="print" onClick={() => print()}>
                {t.print}
              </Button>
              <Button icon="download" onClick={download}>
                {t.csv}
              </Button>
            </>
          ) : undefined
        }
      />
      <div class="stack pick-list">
        {known && (!reachable.value || device.error !== undefined) ? (
          <Notice tone="warn">{t.kept(shortTime(known.asOf))}</Notice>
        ) : null}
        {visits.length > 0 ? <PickView visits={visits} /> : null}
        {visits.length === 0 && device.reading ? <Skeleton lines={8} height={36} /> : null}
        {visits.length === 0 && !device.reading && device.error !== undefined ? (
          <Failure error={device.error} retry={() => void device.read()} />
        ) : null}
        {visits.length === 0 && !device.reading && device.error === undefined ? (
          <Empty icon="runs" title={t.none}>
            {t.noneText}
          </Empty>
        ) : null}
      </div>
    </>
  )
}

function PickView({ visits }: { readonly visits: readonly DayVisit[] }) {
  const t = visitTexts().pick
  return (
    <>
      <Section title={t.van} flush>
        <DataTable
          rows={vanLines(visits)}
          keyOf={({ key }) => key}
          columns={[
            { title: t.product, cell: ({ title }) => title },
            { title: t.supplierItem, cell: ({ source }) => (source ? <span class="mono">{source}</span> : '–') },
            { title: t.machines, isNumber: true, cell: ({ machines }) => machines },
            { title: t.units, isNumber: true, cell: (line) => <span class="strong">{line.units}</span> },
            { title: t.packed, cell: () => <span class="tick-box" aria-hidden="true" /> },
          ]}
        />
      </Section>
      {visits.map((visit, index) => (
        <Section
          key={visit.location}
          title={`${index + 1}. ${visit.name}`}
          note={visit.place}
          flush
          class="pick-stop"
          aside={
            visit.receivedAt ? (
              <Badge tone="ok">{t.received}</Badge>
            ) : (
              <a href={href.visit(visit.location, visit.run)}>{texts().pages.visit}</a>
            )
          }
        >
          <DataTable
            rows={pickLines(visit)}
            keyOf={({ id }) => id}
            columns={[
              { title: t.product, cell: ({ title }) => title },
              { title: t.slot, cell: ({ id }) => <span class="mono">{id}</span> },
              { title: t.expected, isNumber: true, cell: ({ stock }) => stock ?? '–' },
              { title: t.quantity, isNumber: true, cell: ({ quantity }) => <span class="strong">{quantity}</span> },
              { title: t.fillTo, isNumber: true, cell: ({ fillTo }) => fillTo ?? '–' },
              { title: t.packed, cell: () => <span class="tick-box" aria-hidden="true" /> },
            ]}
          />
        </Section>
      ))}
    </>
  )
}
