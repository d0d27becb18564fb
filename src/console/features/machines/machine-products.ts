/** The products of one machine as its platform and our own book know them. */
import type { Product } from '../../../contract/shapes/catalog.ts'
import { client } from '../../lib/service/api.ts'
import { fromNow } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'
import { collect, useResource } from '../../lib/service/resource.ts'

const SLOTS_MAX = 2000
const PAGE = 100

/** Waits while the namespace is not known yet. */
export const useMachineProducts = (location: string, namespace: string | undefined) =>
  useResource(
    `machine products ${location} ${namespace ?? ''}`,
    (signal): Promise<readonly Product[]> =>
      namespace === undefined
        ? new Promise(() => undefined)
        : collect(
            client.all.searchCatalog({
              body: { filters: { namespace, location }, pagination: { limit: PAGE } },
              signal,
            }),
            SLOTS_MAX,
          ),
    ['price_change', 'location', 'sync', 'replenishment'],
  )

interface Booked {
  readonly counted_at?: string | undefined
  readonly received_at?: string | undefined
  readonly reported_stock?: number | undefined
}

/** `counted 5 min ago; the machine says 5`, where our own count or receipt is what is shown. */
export function countedText({
  counted_at: counted,
  received_at: received,
  reported_stock: reported,
}: Booked): string | undefined {
  const t = texts().machine
  const booked = counted === undefined ? received && t.received(fromNow(received)) : t.counted(fromNow(counted))
  if (booked === undefined) return undefined
  return reported === undefined ? booked : t.butReported(booked, reported)
}
