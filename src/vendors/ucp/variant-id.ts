/** Merchants' variant ids may hold colons and blanks, which a SKU id cannot: they are percent-encoded, reversibly. */
import { UnreadableReply } from '../upstream/read-json.ts'

/** `gid://shopify/ProductVariant/1` is `gid%3A//shopify/ProductVariant/1`. */
export const toVendorSku = (variantId: string): string =>
  variantId.replaceAll(/[%:\s]/gu, (character) => encodeURIComponent(character))

export function toVariantId(vendorSku: string): string {
  try {
    return decodeURIComponent(vendorSku)
  } catch {
    throw new UnreadableReply('the SKU is not one of this merchant')
  }
}
