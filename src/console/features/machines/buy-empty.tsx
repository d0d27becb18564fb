/** Puts the supplier products of the empty slots of a machine into the basket, in whole boxes. */
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { basket, lineFor, setBasket, withLine } from '../purchases/basket.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { useNamespaces } from '../../lib/service/queries.ts'
import { navigate } from '../../lib/router.ts'
import { BASKET } from '../../locales/basket.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { toast } from '../../ui/toast.tsx'

/** As many as one lookup takes. */
const PRODUCTS_MAX = 50

export function BuyEmpty({ items }: { readonly items: readonly { readonly id: string; readonly units: number }[] }) {
  const t = textsOf(BASKET)
  const supply = useNamespaces().data?.defaults.supply
  const buy = useAction(async () => {
    const ids = [...new Set(items.map(({ id }) => id))].slice(0, PRODUCTS_MAX)
    const { resolved } = await client.resolveSkus({ body: { ids, to_namespace: supply ?? '' } })
    const to = new Map(resolved.map((one) => [one.from, one.to]))
    const needed = new Map<string, number>()
    for (const { id, units } of items) {
      const sku = to.get(id)
      if (sku !== undefined) needed.set(sku, (needed.get(sku) ?? 0) + units)
    }
    const skus = [...needed.keys()]
    const products = skus.length === 0 ? [] : (await client.lookupCatalog({ body: { ids: skus } })).products
    const lines = products
      .flatMap(({ variants }) => variants)
      .flatMap(({ id, title, sale_units: units = [] }) => {
        const line = lineFor({ sku: id, title, units }, needed.get(id) ?? 1)
        return line ? [line] : []
      })
    setBasket(lines.reduce(withLine, basket.value))
    if (to.size < ids.length) toast(t.noSource(ids.length - to.size))
    if (lines.length > 0) navigate('/basket')
  })
  if (supply === undefined) return null
  return (
    <>
      <Button needs="createCheckout" small icon="orders" action={buy}>
        {t.fromEmpty(items.length)}
      </Button>
      {buy.error === undefined ? null : <Failure error={buy.error} compact />}
    </>
  )
}
