/** The lines of a run, one table per machine. */
import type { ReplenishmentRun, RunLineItem } from '../../../contract/shapes/run.ts'
import { totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may, seesMoney } from '../../lib/service/me.ts'
import { plannedOf } from '../plan/plan.ts'
import { href } from '../../lib/router.ts'
import { isBeforeOrder, lineOutcome, OUTCOME_TONE, unitsFromStoreroom } from './run-line.ts'
import { Badge, Money } from '../../ui/value.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Section } from '../../ui/section.tsx'
import { SkuLink } from '../catalog/sku-link.tsx'

interface RunLinesProps {
  readonly run: ReplenishmentRun
  readonly name: (location: string) => string
}

export function RunLines({ run, name }: RunLinesProps) {
  const t = texts().run
  const isOpen = isBeforeOrder(run)
  const stored = unitsFromStoreroom(run)
  const machines = Map.groupBy(run.line_items, ({ location }) => location)
  return (
    <>
      {[...machines].map(([location, lines]) => (
        <Section
          key={location}
          title={name(location)}
          flush
          aside={<a href={href.machine(location)}>{t.openMachine}</a>}
        >
          <DataTable
            csv={`${run.id} ${name(location)}`}
            rows={lines}
            keyOf={({ id }) => id}
            columns={[
              {
                title: words().item,
                cell: ({ item }) => (
                  <SkuLink id={item.id} location={location}>
                    {item.title}
                  </SkuLink>
                ),
              },
              {
                title: t.neededColumn,
                isNumber: true,
                cell: plannedOf,
              },
              stored === 0
                ? undefined
                : // On the page it stands with the supplier's product: a column more would not fit.
                  { title: t.fromStoreroom, value: ({ from_storeroom: units = 0 }) => units },
              run.status === 'delivered' || lines.some(({ quantity }) => quantity.fulfilled > 0)
                ? { title: t.received, isNumber: true, cell: receivedCell }
                : undefined,
              seesMoney()
                ? {
                    title: words().cost,
                    isNumber: true,
                    cell: ({ totals, cost_is_estimated: isEstimated }) => (
                      <Money amount={totalOf(totals)} currency={run.currency} isEstimated={isEstimated} />
                    ),
                  }
                : undefined,
              {
                title: t.source,
                value: ({ source }) => source?.sku_id ?? (isOpen || run.supplier !== 'simulated' ? '' : t.simulated),
                cell: ({ source, item, from_storeroom: units = 0 }) => (
                  <>
                    {!source && !isOpen ? (
                      <span class="faint">{run.supplier === 'simulated' ? t.simulated : '–'}</span>
                    ) : source ? (
                      <SkuLink id={source.sku_id} class="mono">
                        {source.sku_id}
                      </SkuLink>
                    ) : (
                      <SkuLink id={item.id} location={location}>
                        <Badge tone="warn">{may('confirmAliases') ? t.link : texts().machine.unlinked}</Badge>
                      </SkuLink>
                    )}
                    {units > 0 ? <span class="faint one-line">{texts().plan.fromStoreroom(units)}</span> : null}
                  </>
                ),
              },
              isOpen ? undefined : { title: words().status, cell: (line) => outcomeOf(run, line) },
            ]}
          />
        </Section>
      ))}
    </>
  )
}

function outcomeOf(run: ReplenishmentRun, line: RunLineItem) {
  const outcome = lineOutcome(run, line)
  return outcome ? <Badge tone={OUTCOME_TONE[outcome]}>{texts().run.outcomes[outcome]}</Badge> : null
}

const receivedCell = (line: RunLineItem) => (
  <span class={line.quantity.fulfilled === plannedOf(line) ? '' : 'toned warn'}>{line.quantity.fulfilled}</span>
)
