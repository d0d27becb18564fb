/**
 * The last accepted price list in the memory of the connection, so that a damaged file is compared with it also after a
 * restart or in another instance. Compressed: 10,000 products are 2 MB of JSON and 0.2 MB here.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import type { VendorMemory } from '../memory.ts'
import { isFields } from '../upstream/read-json.ts'
import type { ListedProduct } from './listed-products.ts'

const KEY = 'price-list'
/**
 * Raised when rows are read by other rules: a list that was read by earlier ones may offer a pack as one item, so it is
 * forgotten.
 */
const RULES = 2

export async function recallList(memory: VendorMemory) {
  const value = (await memory.get(KEY))?.value
  if (
    !isFields(value) ||
    value['rules'] !== RULES ||
    typeof value['hash'] !== 'string' ||
    typeof value['products'] !== 'string'
  )
    return undefined
  const packed = value['products']
  return {
    /** Of the bytes of the file. */
    hash: value['hash'],
    /** Unpacked when asked for: most reads compare the hash only. */
    products: () => JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()) as ListedProduct[],
  }
}

/** Where another instance was faster its list stays: both have accepted a file. */
export async function rememberList(
  memory: VendorMemory,
  { hash, products }: { readonly hash: string; readonly products: readonly ListedProduct[] },
): Promise<void> {
  const entry = await memory.get(KEY)
  const packed = gzipSync(JSON.stringify(products), { level: 1 }).toString('base64')
  await memory.put(KEY, { rules: RULES, hash, products: packed }, entry?.version ?? 0)
}
