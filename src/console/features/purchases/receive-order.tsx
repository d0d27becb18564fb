/** A purchase: what has arrived goes into the store room, as confirmed or as counted. */
import { useState } from 'preact/hooks'
import type { Order } from '../../../contract/shapes/order.ts'
import { useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { hasStoreroom } from '../../lib/service/me.ts'
import { href } from '../../lib/router.ts'
import { CameList, type Typed, deliveredOf } from '../storeroom/came-list.tsx'
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

/** When it went into the store room, and the run that it comes with. */
export function arrivalFacts({ run, received_at: receivedAt }: Order): readonly (Fact | undefined)[] {
  const t = textsOf(STOREROOM).arrived
  return [
    run === undefined ? undefined : [t.withRun, <a href={href.run(run)}>{run}</a>],
    receivedAt === undefined ? undefined : [t.received, <Timestamp at={receivedAt} />],
  ]
}

/** Ordered, and neither here nor canceled. */
export const isExpected = ({ kind, received_at: receivedAt, supplier_status: state }: Order): boolean =>
  kind === 'purchase' && receivedAt === undefined && state?.mapped !== 'cancelled'

export function ReceiveOrder({ order, onReceived }: Props) {
  const t = textsOf(STOREROOM).arrived
  const [open, setOpen] = useState(false)
  if (!isExpected(order) || !hasStoreroom()) return null
  return (
    <>
      <Button needs="receiveOrder" kind="primary" icon="storeroom" onClick={() => setOpen(true)}>
        {t.button}
      </Button>
      {open ? <ArrivedDialog order={order} onClose={() => setOpen(false)} onReceived={onReceived} /> : null}
    </>
  )
}

function ArrivedDialog({ order, onClose, onReceived }: Props & { readonly onClose: () => void }) {
  const t = textsOf(STOREROOM).arrived
  const products = confirmedProducts(order)
  const [typed, setTyped] = useState<Typed>({})
  const delivered = deliveredOf(products, typed)
  const receive = useWrite(
    async (idempotencyKey) => {
      await client.receiveOrder({ params: { id: order.id }, body: { delivered: delivered ?? [] }, idempotencyKey })
      toast(t.done(order.id))
      onReceived()
      onClose()
    },
    JSON.stringify(delivered ?? []),
  )
  return (
    <ActionDialog title={t.title} action={receive} submit={t.submit} ready={delivered !== undefined} onClose={onClose}>
      <p>{t.text}</p>
      <CameList products={products} typed={typed} onChange={setTyped} />
    </ActionDialog>
  )
}
