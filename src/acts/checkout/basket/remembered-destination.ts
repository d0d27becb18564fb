/** Where the next purchase probably goes: the configured address, else that of the last purchase that was ordered. */
import type { PostalAddress } from '../../../contract/common.ts'
import type { Context } from '../../../context.ts'
import { listSessions } from '../records.ts'
import type { Session } from '../session.ts'

/** Purchases searched for an address: those that were picked up have none. */
const SESSIONS_READ = 20

export interface RememberedDestination {
  readonly source: 'configured' | 'last_purchase'
  readonly address: PostalAddress
}

/** Only of purchases that were ordered: the address of a draft is nobody's decision yet. */
export async function findRememberedDestination({
  store,
  config,
}: Pick<Context, 'store' | 'config'>): Promise<RememberedDestination | undefined> {
  if (config.defaultDestination) return { source: 'configured', address: config.defaultDestination }
  const ordered = await listSessions(store.db, { status: 'completed', limit: SESSIONS_READ })
  const [address] = ordered.flatMap((session) => shippingAddressOf(session) ?? [])
  return address && { source: 'last_purchase', address }
}

function shippingAddressOf({ methods }: Session): PostalAddress | undefined {
  const method = methods.find(({ type }) => type === 'shipping')
  return method?.destinations.find(({ id }) => id === method.selectedDestinationId)?.address
}
