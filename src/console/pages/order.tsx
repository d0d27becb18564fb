import { client } from '../lib/api.ts'
import { texts } from '../lib/i18n.ts'
import { useResource } from '../lib/resource.ts'
import { Loaded } from '../ui/loaded.tsx'
import { OrderView } from '../ui/order-view.tsx'
import { PageHeader } from '../ui/section.tsx'

export function Order({ id }: { readonly id: string }) {
  const order = useResource(`order ${id}`, (signal) => client.getOrder({ params: { id }, signal }), [
    'order',
    'checkout',
    'replenishment',
  ])
  return (
    <>
      <PageHeader title={id} back={{ href: '/orders', text: texts().pages.orders }} />
      <Loaded resource={order}>{(data) => <OrderView order={data} onReceived={() => void order.reload()} />}</Loaded>
    </>
  )
}
