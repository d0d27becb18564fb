/**
 * The last accepted price list in the memory of the connection, so that a damaged file is compared with it also after a
 * restart or in another instance.
 */
import type { VendorMemory } from '../../memory.ts'
import { isFields } from '../../upstream/read-json.ts'
import type { RememberedList } from './examine-list.ts'
import type { HeldPrices } from './price-jumps.ts'

const KEY = 'price-list'
/**
 * Raised when rows are read by other rules: a list that was read by earlier ones may offer a pack as one item, so it is
 * forgotten.
 */
const RULES = 3

export async function recallList(memory: VendorMemory): Promise<RememberedList | undefined> {
  const value = (await memory.get(KEY))?.value
  if (!isFields(value) || value['rules'] !== RULES) return undefined
  const { hash, file, products: packed, held } = value
  if (typeof hash !== 'string' || typeof packed !== 'string') return undefined
  return {
    hash,
    packed,
    ...(typeof file === 'string' && { file }),
    ...(isFields(held) && { held: held as HeldPrices }),
  }
}

/** Where another instance was faster its list stays: both have accepted a file. */
export async function rememberList(
  memory: VendorMemory,
  { hash, file, packed, held = {} }: RememberedList,
): Promise<void> {
  const entry = await memory.get(KEY)
  await memory.put(
    KEY,
    { rules: RULES, hash, ...(file !== undefined && { file }), products: packed, held },
    entry?.version ?? 0,
  )
}
