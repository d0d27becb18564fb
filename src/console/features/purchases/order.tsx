import { client } from '../../lib/service/api.ts'
import { texts } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { OrderView } from './order-view.tsx'
import { PageHeader } from '../../ui/section.tsx'

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
