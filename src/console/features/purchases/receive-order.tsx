/** A purchase without a run: what has arrived goes into the store room, as confirmed or as counted. */
import { useState } from 'preact/hooks'
import type { Order } from '../../../contract/shapes/order.ts'
import { useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { hasStoreroom } from '../../lib/service/me.ts'
import { href } from '../../lib/router.ts'
import { confirmedProducts } from '../storeroom/storeroom.ts'
import { STOREROOM } from '../../locales/storeroom.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import type { Fact } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { Timestamp } from '../../ui/value.tsx'

interface Props {
  readonly order: Order
  readonly onReceived: () => void
}

/** When it went into the store room, or the run that it comes with. */
export function arrivalFact({ run, received_at: receivedAt }: Order): Fact | undefined {
  const t = textsOf(STOREROOM).arrived
  if (run !== undefined) return [t.withRun, <a href={href.run(run)}>{run}</a>]
  return receivedAt === undefined ? undefined : [t.received, <Timestamp at={receivedAt} />]
}

export function ReceiveOrder({ order, onReceived }: Props) {
  const t = textsOf(STOREROOM).arrived
  const [open, setOpen] = useState(false)
  const { kind, run, received_at: receivedAt, supplier_status: state } = order
  const isExpected = kind === 'purchase' && run === undefined && receivedAt === undefined
  if (!isExpected || state?.mapped === 'cancelled' || !hasStoreroom()) return null
  return (
    <>
      <Button needs="receiveOrder" kind="primary" icon="storeroom" onClick={() => setOpen(true)}>
        {t.button}
      </Button>
      {open ? <ArrivedDialog order={order} onClose={() => setOpen(false)} onReceived={onReceived} /> : null}
    </>
  )
}

const isCount = (text: string): boolean => /^\d{1,6}$/.test(text)

function ArrivedDialog({ order, onClose, onReceived }: Props & { readonly onClose: () => void }) {
  const t = textsOf(STOREROOM).arrived
  const products = confirmedProducts(order)
  const [counted, setCounted] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(products.map(({ id, units }) => [id, String(units)])),
  )
  const delivered = products.map(({ id }) => ({ item: { id }, quantity: Number(counted[id]) }))
  const receive = useWrite(async (idempotencyKey) => {
    await client.receiveOrder({ params: { id: order.id }, body: { delivered }, idempotencyKey })
    toast(t.done(order.id))
    onReceived()
    onClose()
  }, JSON.stringify(delivered))
  return (
    <ActionDialog
      title={t.title}
      action={receive}
      submit={t.submit}
      ready={products.every(({ id }) => isCount(counted[id] ?? ''))}
      onClose={onClose}
    >
      <p>{t.text}</p>
      <ul class="count-list">
        {products.map(({ id, title, units }) => {
          const value = counted[id] ?? ''
          const set = (next: string) => setCounted({ ...counted, [id]: next })
          const step = (by: number) => set(String(Math.max(0, (isCount(value) ? Number(value) : 0) + by)))
          return (
            <li key={id} class={Number(value) === units ? 'line' : 'line differs'}>
              <span>
                {title}
                <span class="faint one-line">{t.confirmed(units)}</span>
              </span>
              <span class="stepper">
                <button type="button" onClick={() => step(-1)} aria-label={t.less(title)}>
                  −
                </button>
                <input
                  type="number"
                  min="0"
                  inputMode="numeric"
                  aria-label={t.countOf(title)}
                  aria-invalid={isCount(value) ? undefined : true}
                  value={value}
                  onInput={(event) => set(event.currentTarget.value)}
                />
                <button type="button" onClick={() => step(1)} aria-label={t.more(title)}>
                  +
                </button>
              </span>
            </li>
          )
        })}
      </ul>
    </ActionDialog>
  )
}
