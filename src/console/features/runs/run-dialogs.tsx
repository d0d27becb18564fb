/** Ordering a run and canceling it, each after a confirmation. */
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { useAction, useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { money, totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { me } from '../../lib/service/identity.ts'
import { href, navigate } from '../../lib/router.ts'
import { isFromStoreroom, linesWithoutSupplier, openPurchases } from './run-line.ts'
import { OrderFacts } from './order-dialog.tsx'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { DryRun } from '../../ui/form/dry-run.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'

interface DialogProps {
  readonly run: ReplenishmentRun
  readonly put: (run: ReplenishmentRun) => void
  readonly reload: () => void
  readonly onClose: () => void
}

export function CancelDialog({ run, onClose, put, reload }: DialogProps) {
  const t = texts().run
  const cancel = useAction(async () => {
    put(await client.cancelRun({ params: { id: run.id } }))
    toast(t.canceledToast)
    onClose()
  })
  return (
    <ActionDialog
      title={t.cancel}
      action={cancel}
      kind="danger"
      submit={t.cancel}
      busyText={t.canceling}
      cancel={t.keep}
      autofocus
      onClose={() => closeAfter(cancel, onClose, reload)}
    >
      <p>{t.cancelText}</p>
    </ActionDialog>
  )
}

export function PlaceDialog({ run, onClose, put, reload }: DialogProps) {
  const t = texts().run
  const isSimulated = me.value?.environment === 'staging'
  const unresolved = linesWithoutSupplier(run).length
  const isStored = isFromStoreroom(run)
  const place = useWrite(async (idempotencyKey) => {
    const next = await client.placeRun({ params: { id: run.id }, idempotencyKey })
    const open = openPurchases(next)
    toast(isStored ? t.stored.placedToast : open.length > 0 ? t.openedToast(open.length) : t.placedToast)
    onClose()
    put(next)
    const [only] = open
    if (only && open.length === 1) navigate(`${href.purchase(only.id)}?order=now`)
  })
  return (
    <ActionDialog
      title={isStored ? t.stored.place : t.place}
      action={place}
      submit={isStored ? t.stored.place : t.placeFor(money(totalOf(run.totals), run.currency), run.cost_is_estimated)}
      busyText={isStored ? t.stored.placing : words().ordering}
      autofocus
      onClose={() => closeAfter(place, onClose, reload)}
    >
      <OrderFacts run={run} />
      {place.error === undefined ? (
        <DryRun
          of={run.id}
          ask={(signal) => client.placeRun({ params: { id: run.id }, query: { dry_run: 'true' }, signal })}
        />
      ) : null}
      {unresolved > 0 && !isSimulated ? <Notice tone="warn" title={t.unresolved(unresolved)} /> : null}
      <p>{isStored ? t.stored.placeText : isSimulated ? texts().complete.leadSimulated : t.placeText}</p>
    </ActionDialog>
  )
}

/** A failed attempt may have changed the run. */
function closeAfter({ error }: { readonly error: unknown }, onClose: () => void, reload: () => void): void {
  if (error !== undefined) reload()
  onClose()
}
