/** Orders what the plan says: shows sum, suppliers and machines first, then makes the run and places it. */
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { runSize } from '../../../kernel/sizes.ts'
import { isUnclear, useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { me } from '../../lib/service/identity.ts'
import { usePreview } from '../../lib/service/preview.ts'
import { useNames } from '../../lib/service/queries.ts'
import { count, money, totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { messageLine } from '../../lib/text/service-text.ts'
import { href, navigate } from '../../lib/router.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { DryRunResult } from '../../ui/form/dry-run.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { Money } from '../../ui/value.tsx'
import { isFromStoreroom, linesWithoutSupplier, openPurchases, supplyOf, unitsFromStoreroom } from './run-line.ts'
import { runStatusText } from './run-text.ts'

/** Machines that are named before the others are counted. */
const NAMED = 3

const isSimulated = (): boolean => me.value?.environment === 'staging'

/** The supplier of each product is in front of its number. */
const suppliersOf = ({ line_items: lines }: ReplenishmentRun): readonly string[] => [
  ...new Set(lines.flatMap(({ source }) => source?.sku_id.split(':')[0] ?? [])),
]

/** A run that was made is not made again: where it cannot be placed, its page says why. */
async function place(run: ReplenishmentRun, idempotencyKey: string): Promise<ReplenishmentRun> {
  try {
    return await client.placeRun({ params: { id: run.id }, idempotencyKey })
  } catch (error) {
    if (isUnclear(error)) throw error
    return run
  }
}

function open(run: ReplenishmentRun): void {
  const t = texts().run
  const [first, ...others] = openPurchases(run)
  toast(
    run.status !== 'placed'
      ? texts().plan.created(runStatusText(run))
      : isFromStoreroom(run)
        ? t.stored.placedToast
        : first
          ? t.openedToast(others.length + 1)
          : t.placedToast,
  )
  navigate(first && others.length === 0 ? `${href.purchase(first.id)}?order=now` : href.run(run.id))
}

export function OrderDialog({ onClose }: { readonly onClose: () => void }) {
  const t = texts().run
  const preview = usePreview('order', (signal) => client.createRun({ query: { dry_run: 'true' }, signal }))
  const run = preview.data
  const order = useWrite(async (idempotencyKey) => {
    const made = await client.createRun({ idempotencyKey })
    // More than the person saw is not bought without another look.
    const isAgreed = made.status === 'approved' && totalOf(made.totals) <= totalOf(run?.totals ?? [])
    open(isAgreed ? await place(made, `${idempotencyKey}-place`) : made)
    onClose()
  })
  const isStored = run !== undefined && isFromStoreroom(run)
  const submit =
    run?.status === 'pending_approval'
      ? words().askForApproval
      : isStored
        ? t.stored.place
        : run
          ? t.placeFor(money(totalOf(run.totals), run.currency), run.cost_is_estimated)
          : words().orderNow
  return (
    <ActionDialog
      title={words().order}
      action={order}
      submit={submit}
      busyText={isStored ? t.stored.placing : words().ordering}
      ready={run?.status === 'approved' || run?.status === 'pending_approval'}
      onClose={onClose}
    >
      {run ? <Ordered run={run} /> : null}
      {preview.busy ? <p class="note">{texts().dryRun.checking}</p> : null}
      {preview.error === undefined ? null : <Failure error={preview.error} compact />}
      <a href="/plan/run" onClick={onClose}>
        {texts().plan.adjust}
      </a>
    </ActionDialog>
  )
}

function Ordered({ run }: { readonly run: ReplenishmentRun }) {
  const t = texts().run
  const { status, line_items: lines } = run
  if (lines.length === 0)
    return (
      <Notice
        tone={status === 'blocked' ? 'bad' : 'info'}
        title={status === 'blocked' ? t.blocked : texts().runStatus[status]}
      >
        {status === 'blocked' ? t.blockedText : (run.messages ?? []).map(messageLine).join(' ')}
      </Notice>
    )
  const unresolved = linesWithoutSupplier(run).length
  return (
    <>
      <OrderFacts run={run} />
      <DryRunResult {...run} />
      {unresolved > 0 && !isSimulated() ? <Notice tone="warn" title={t.unresolved(unresolved)} /> : null}
      <p class="note">
        {isFromStoreroom(run) ? t.stored.placeText : isSimulated() ? texts().complete.leadSimulated : t.placeText}
      </p>
    </>
  )
}

/** Sum, suppliers, machines and units. */
export function OrderFacts({ run }: { readonly run: ReplenishmentRun }) {
  const t = texts().run
  const { line_items: lines } = run
  const ids = [...new Set(lines.map(({ location }) => location))]
  const { name } = useNames(ids.slice(0, NAMED + 1))
  const { units } = runSize(lines)
  const stored = unitsFromStoreroom(run)
  const { needed, bought } = supplyOf(run)
  const isStored = isFromStoreroom(run)
  const suppliers = suppliersOf(run)
  return (
    <Facts
      items={[
        isStored
          ? undefined
          : [
              words().total,
              <strong class="big-total">
                <Money amount={totalOf(run.totals)} currency={run.currency} isEstimated={run.cost_is_estimated} />
              </strong>,
            ],
        suppliers.length === 0 ? undefined : [words().supplier, suppliers.join(texts().connections.comma)],
        [
          texts().pages.machines,
          ids.length > NAMED + 1
            ? t.machinesAndMore(ids.slice(0, NAMED).map(name).join(texts().connections.comma), ids.length - NAMED)
            : ids.map(name).join(texts().connections.comma),
        ],
        [t.needed, `${count(units)}${stored > 0 ? ` · ${t.someStored(stored)}` : ''}`],
        bought > needed ? [t.bought, t.wholeCases(bought)] : undefined,
      ]}
    />
  )
}
