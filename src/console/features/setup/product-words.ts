/** Products by words that need not stand side by side: `kettle salt` finds Kettle Hill Sea Salt. Pure. */
import type { Product } from '../../../contract/shapes/catalog.ts'

const plain = (text: string): string => text.normalize('NFKC').toLowerCase()

/**
 * What to ask the service for, which finds a text as it stands: the whole of it, and of several words the longest, whose
 * results `withAllWords` narrows.
 */
export function searchTexts(query: string): readonly string[] {
  const words = query.split(/\s+/).filter((word) => word !== '')
  const longest = words.toSorted((a, b) => b.length - a.length)[0]
  return words.length < 2 || longest === undefined ? [query] : [query, longest]
}

/** Without doubles, in this order. Of one word everything that was found. */
export function withAllWords<P extends Pick<Product, 'id' | 'title'>>(
  found: readonly P[],
  query: string,
): readonly P[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '')
  const isMeant = ({ id, title }: P) =>
    words.length < 2 || words.every((word) => plain(`${title} ${id}`).includes(word))
  return [...new Map(found.filter(isMeant).map((product) => [product.id, product])).values()]
}
