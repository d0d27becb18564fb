/** Takes machines into the settings of a connection that an owner made: those that files named, and those without files. */
import { client, VendopsError } from '../../lib/service/api.ts'

/** The connection of machines that no platform knows. */
export const BY_HAND = 'own-machine'

type Entry = Readonly<Record<string, string>>

/** Nothing else of the settings changes; secrets that are left out stay. */
export async function takeIn(namespace: string, entries: readonly Entry[]): Promise<void> {
  const { settings, read_only, time_zone, id_prefix } = await client.getConnection({ params: { namespace } })
  const listed = (settings['machines'] ?? []) as readonly Entry[]
  const known = new Set(listed.map((entry) => entry['location']))
  const added = entries.filter((entry) => !known.has(entry['location']))
  if (added.length === 0) return
  await client.changeConnection({
    params: { namespace },
    body: {
      settings: { ...settings, machines: [...listed, ...added] },
      read_only,
      ...(time_zone !== undefined && { time_zone }),
      ...(id_prefix !== undefined && { id_prefix }),
    },
  })
}

/** A machine that nothing is read from: it has what somebody lists. */
export async function takeInByHand(location: string): Promise<void> {
  try {
    await takeIn(BY_HAND, [{ location }])
  } catch (error) {
    if (!(error instanceof VendopsError && error.code === 'not_found')) throw error
    await client.addConnection({
      body: { namespace: BY_HAND, adapter: 'eva-dts', settings: { machines: [{ location }] } },
    })
  }
}
