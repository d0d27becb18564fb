/** A run before it is created: the operator chooses machines, changes quantities and leaves lines out. */
import { useMemo, useState } from 'preact/hooks'
import type { PlanEntry, ReplenishmentPlan } from '../../../contract/shapes/replenishment.ts'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { byName } from '../../lib/text/natural-order.ts'
import { money, totalOf } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { type Preview, usePreview } from '../../lib/service/preview.ts'
import { hasStoreroom } from '../../lib/service/me.ts'
import { namesOf, useBlock, useLocations, usePlan } from '../../lib/service/queries.ts'
import { href, navigate, query } from '../../lib/router.ts'
import { isFromStoreroom, roundedProducts, unitsFromStoreroom } from './run-line.ts'
import { runStatusText } from './run-text.ts'
import { type RunDraft, dueMachines, isAdjustable, runRequest, unitsOf, spreadExtra } from './run-draft.ts'
import { NEW_RUN } from '../../locales/new-run.ts'
import '../../styles/operator.css'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { OrderBlocked } from './order-button.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/table/more-button.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { RunMachine } from './run-machine.tsx'
import { toast } from '../../ui/toast.tsx'
import { QueryChoice, SearchField } from '../../ui/table/query-filters.tsx'

/** Machines on the page at first, and with each press of "more". */
const MACHINES_PAGE = 30
/** With more machines their lines are shown by a press. */
const OPEN_MACHINES_MAX = 3

export function NewRun() {
  const plan = usePlan()
  return (
    <>
      <PageHeader
        title={texts().pages.newRun}
        back={{ href: '/plan', text: texts().pages.plan }}
        lead={textsOf(NEW_RUN).lead}
      />
      <Loaded resource={plan} lines={8} height={56}>
        {(data) => <DraftForm plan={data} />}
      </Loaded>
    </>
  )
}

function DraftForm({ plan }: { readonly plan: ReplenishmentPlan }) {
  const t = textsOf(NEW_RUN)
  const block = useBlock(texts().complete.stopped)
  const locations = useLocations()
  const name = useMemo(() => namesOf(locations.data), [locations.data])
  const due = useMemo(() => dueMachines(plan), [plan])
  const chosen = query('machine')
  const planned: RunDraft = { machines: chosen ? new Set([chosen]) : due, quantities: new Map() }
  const [draft, setDraft] = useState<RunDraft>(planned)
  // The plan is read again while somebody chooses: what was there, or is chosen, stays on the page.
  const [first] = useState(planned.machines)
  const [pages, setPages] = useState(1)
  const byMachine = useMemo(() => Map.groupBy(plan.plans, ({ location }) => location), [plan])
  const showsAll = query('show') === 'all' || due.size === 0
  const search = query('q').toLowerCase()
  const machines = useMemo(() => {
    const matches = (id: string) =>
      search === '' ||
      name(id).toLowerCase().includes(search) ||
      (byMachine.get(id) ?? []).some(({ item }) => item.title.toLowerCase().includes(search))
    return [...byMachine.keys()]
      .filter((id) => (showsAll || due.has(id) || first.has(id) || draft.machines.has(id)) && matches(id))
      .toSorted((a, b) => Number(due.has(b)) - Number(due.has(a)) || byName(name(a), name(b)))
  }, [byMachine, due, showsAll, search, name, first, draft.machines])
  const lines = plan.plans.filter(
    (entry) => draft.machines.has(entry.location) && isAdjustable(entry) && unitsOf(draft, entry) > 0,
  )
  const request = runRequest(plan, draft)
  const preview = usePreview(lines.length > 0 ? JSON.stringify(request) : undefined, (signal) =>
    client.createRun({ body: request, query: { dry_run: 'true' }, signal }),
  )
  const create = useWrite(async (idempotencyKey) => {
    const run = await client.createRun({ body: request, idempotencyKey })
    toast(texts().plan.created(runStatusText(run)))
    navigate(href.run(run.id))
  }, JSON.stringify(request))
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (lines.length > 0 && !block) void create.run()
      }}
    >
      <div class="filters">
        <SearchField label={t.search} />
        <QueryChoice
          of="show"
          label={t.show}
          value={showsAll ? 'all' : 'due'}
          tabs={[
            { name: 'due', text: t.due, count: due.size },
            { name: 'all', text: words().allMachines, count: byMachine.size },
          ]}
        />
      </div>
      {machines.length === 0 ? (
        <Empty icon="machines" title={byMachine.size === 0 ? texts().plan.none : t.noMatch} />
      ) : null}
      {machines.slice(0, pages * MACHINES_PAGE).map((id) => (
        <RunMachine
          key={id}
          id={id}
          name={name(id)}
          entries={byMachine.get(id) ?? []}
          isDue={due.has(id)}
          draft={draft}
          onChange={setDraft}
          startOpen={machines.length <= OPEN_MACHINES_MAX || id === chosen}
        />
      ))}
      {machines.length > pages * MACHINES_PAGE ? <MoreButton busy={false} onClick={() => setPages(pages + 1)} /> : null}
      <Rounding run={lines.length > 0 ? preview.data : undefined} plan={plan} draft={draft} onChange={setDraft} />
      {create.error === undefined ? null : <Failure error={create.error} />}
      {preview.error === undefined || block ? null : <Failure error={preview.error} compact />}
      {block ? <OrderBlocked block={block} /> : null}
      <div class="row sticky-foot">
        <p class="run-total" role="status">
          <strong>
            {lines.length === 0
              ? t.empty
              : t.total(
                  lines.reduce((sum, entry) => sum + unitsOf(draft, entry), 0),
                  lines.length,
                  new Set(lines.map(({ location }) => location)).size,
                )}
          </strong>{' '}
          {lines.length === 0 ? null : <Cost preview={preview} />}
        </p>
        <div class="row">
          <Button disabled={create.busy} onClick={() => setDraft(planned)}>
            {t.reset}
          </Button>
          <Button
            needs="createRun"
            kind="primary"
            icon="runs"
            type="submit"
            busy={create.busy}
            disabled={lines.length === 0 || block !== undefined}
            aria-describedby={block && 'create-blocked'}
          >
            {create.busy ? texts().plan.creating : texts().pages.newRun}
          </Button>
        </div>
      </div>
    </form>
  )
}

function Cost({ preview: { data: run, busy } }: { readonly preview: Preview<ReplenishmentRun> }) {
  const t = textsOf(NEW_RUN)
  if (!run) return busy ? <span class="faint">{t.calculating}</span> : null
  if (run.status === 'blocked') return <span class="toned bad">{t.isBlocked}</span>
  const amount = money(totalOf(run.totals), run.currency)
  if (isFromStoreroom(run)) return <span class={busy ? 'faint' : ''}>{texts().run.stored.cost}</span>
  const stored = unitsFromStoreroom(run)
  return (
    <span class={busy ? 'faint' : ''}>
      {run.cost_is_estimated ? t.cost(amount) : t.exactCost(amount)}{' '}
      {stored > 0 ? `· ${texts().run.someStored(stored)} ` : ''}
      {run.status === 'pending_approval' ? <Badge tone="warn">{t.needsApproval}</Badge> : null}
    </span>
  )
}

interface RoundingProps {
  readonly run: ReplenishmentRun | undefined
  readonly plan: ReplenishmentPlan
  readonly draft: RunDraft
  readonly onChange: (draft: RunDraft) => void
}

/** Products that the supplier sells in larger quantities than needed: the rest can go where there is room. */
function Rounding({ run, plan, draft, onChange }: RoundingProps) {
  const t = textsOf(NEW_RUN)
  if (!run) return null
  const rounded = roundedProducts(run)
  if (rounded.length === 0) return null
  const entryOf = new Map(plan.plans.map((entry) => [entry.slot_id, entry]))
  /** Also slots that hold the same machine product and are not in the run. */
  const entriesOf = (sku: string): readonly PlanEntry[] => {
    const products = new Set(
      run.line_items.flatMap(({ source, slot_id: slot }) =>
        source?.sku_id === sku ? [entryOf.get(slot)?.item.id ?? ''] : [],
      ),
    )
    return plan.plans.filter(({ item }) => products.has(item.id))
  }
  return (
    <Section title={t.rounding} note={hasStoreroom() ? t.roundingStored : t.roundingNote}>
      <ul class="rows">
        {rounded.map(({ product, sku, needed, ordered }) => {
          const extra = spreadExtra(entriesOf(sku), draft, ordered - needed)
          return (
            <li key={sku}>
              <span>{t.roundingOf(product, needed, ordered)}</span>
              {extra.used === 0 ? (
                <span class="faint">{t.noRoom}</span>
              ) : (
                <Button small aria-label={t.useAllOf(product)} onClick={() => onChange(extra.draft)}>
                  {t.useAll(extra.used)}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
