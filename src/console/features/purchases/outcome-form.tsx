/** Asks a person whether the supplier has the order, where the service cannot find out. */
import { useState } from 'preact/hooks'
import type { Checkout } from '../../../contract/shapes/checkout.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { downloadText } from '../../lib/text/csv.ts'
import { type CheckoutProps, handoffPage } from './checkout.ts'
import { texts } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Field } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast.tsx'

/** The same outcome once more, by an owner: what was recorded as not placed stops counting. */
export function ConfirmNotPlaced({ checkout, put }: CheckoutProps) {
  const t = texts().purchase
  const confirm = useAction(async () => {
    const body = { placed: checkout.order !== undefined }
    put(await client.recordOutcome({ params: { id: checkout.id }, body }))
    toast(t.confirmedToast(checkout.id))
  })
  return (
    <>
      <Button needs="resolveApproval" action={confirm}>
        {t.confirmNotPlaced}
      </Button>
      {confirm.error === undefined ? null : <Failure error={confirm.error} compact />}
    </>
  )
}

/** What a person sends, or has sent. */
export const DownloadDocument = ({
  document: { file_name: file, content, media_type: type },
  kind = 'plain',
}: {
  readonly document: NonNullable<Checkout['order_document']>
  readonly kind?: 'primary' | 'plain'
}) => (
  <div class="row">
    <Button kind={kind} icon="download" onClick={() => downloadText(file, content, type)}>
      {texts().purchase.download(file)}
    </Button>
  </div>
)

/** Where the supplier sends no messages, a person records that it will not deliver. */
export function SupplierCanceled({ checkout, put }: CheckoutProps) {
  const t = texts().purchase
  const [asking, setAsking] = useState(false)
  const record = useAction(async () => {
    put(await client.recordOutcome({ params: { id: checkout.id }, body: { placed: true, canceled: true } }))
    toast(t.supplierCanceledToast(checkout.id))
    setAsking(false)
  })
  if (!may('recordOutcome')) return null
  return (
    <>
      {asking ? (
        <div class="stack" role="group" aria-label={t.supplierCanceledAsk}>
          <p class="note">{t.supplierCanceledNote}</p>
          <div class="row">
            <Button onClick={() => setAsking(false)} disabled={record.busy}>
              {t.keep}
            </Button>
            <Button kind="danger" action={record}>
              {t.supplierCanceledSure}
            </Button>
          </div>
        </div>
      ) : (
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {t.supplierCanceledAsk}
        </Button>
      )}
      {record.error === undefined ? null : <Failure error={record.error} compact />}
    </>
  )
}

export function OutcomeForm({ checkout, put }: CheckoutProps) {
  const t = texts().purchase
  const [label, setLabel] = useState('')
  const record = useAction(async (placed: boolean) => {
    const number = label.trim()
    const body = placed && number !== '' ? { placed, label: number } : { placed }
    const next = await client.recordOutcome({ params: { id: checkout.id }, body })
    toast(placed ? t.placedToast(checkout.id) : t.notPlacedToast(checkout.id))
    put(next)
  })
  const page = handoffPage(checkout)
  const { order_document: document } = checkout
  return (
    <div class="stack">
      <p class="note">{document ? t.byHandNote : page === undefined ? t.outcomeNote : t.handoffNote}</p>
      {document ? <DownloadDocument document={document} kind="primary" /> : null}
      {page === undefined ? null : (
        <a class="button primary" href={page} target="_blank" rel="noreferrer">
          <span>{t.handoffPage}</span>
        </a>
      )}
      {may('recordOutcome') ? (
        <Field label={t.orderNumber} name="label" autocomplete="off" maxLength={128} value={label} onInput={setLabel} />
      ) : (
        <p class="note">{t.outcomeByOwner}</p>
      )}
      <div class="row">
        <Button needs="recordOutcome" busy={record.busy} onClick={() => void record.run(true)}>
          {document ? t.sent : t.placed}
        </Button>
        <Button needs="recordOutcome" busy={record.busy} onClick={() => void record.run(false)}>
          {document ? t.notSent : t.notPlaced}
        </Button>
      </div>
      {record.error === undefined ? null : <Failure error={record.error} compact />}
    </div>
  )
}
