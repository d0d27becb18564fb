/** Finds a supplier product as somebody types its name or number. Nothing is chosen until a result is. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Product } from '../../../contract/shapes/catalog.ts'
import { client } from '../../lib/service/api.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { SETUP } from '../../locales/work/setup.ts'
import { Money } from '../../ui/value.tsx'
import { searchTexts, withAllWords } from './product-words.ts'

const RESULTS = 8
/** Before those that lack a word are left out. */
const LOOKED_AT = 50
const WAIT_MS = 150

interface Props {
  readonly label: string
  /** Of the suppliers. */
  readonly namespaces: readonly string[]
  readonly value: string
  readonly isWrong?: boolean
  readonly onChoose: (product: Product) => void
  readonly onClear: () => void
}

export function ProductSearch({ label, namespaces, value, isWrong = false, onChoose, onClear }: Props) {
  const t = textsOf(SETUP).selections
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const [found, setFound] = useState<readonly Product[]>()
  const [active, setActive] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const query = typed?.trim() ?? ''
  useEffect(() => {
    if (query === '') return setFound(undefined)
    const stop = new AbortController()
    const search = async () => {
      const pagination = { limit: LOOKED_AT }
      const answers = await Promise.all(
        searchTexts(query).flatMap((text) =>
          namespaces.map((namespace) =>
            client.searchCatalog({ body: { query: text, filters: { namespace }, pagination }, signal: stop.signal }),
          ),
        ),
      )
      const products = answers.flatMap((answer) => answer.products)
      setFound(withAllWords(products, query).slice(0, RESULTS))
      setActive(0)
    }
    const timer = setTimeout(() => {
      // The next letter asks again.
      search().catch(() => {})
    }, WAIT_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [query, namespaces.join()])
  const choose = (product: Product | undefined) => {
    if (!product) return
    setTyped(undefined)
    setFound(undefined)
    onChoose(product)
  }
  const isOpen = found !== undefined && typed !== undefined
  return (
    <div class="product-search">
      <span class="input">
        <input
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && found[active] ? `${id}-${active}` : undefined}
          aria-invalid={isWrong || undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={t.search}
          value={typed ?? value}
          onFocus={(event) => event.currentTarget.select()}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
            if (currentTarget.value === '') onClear()
          }}
          onBlur={() => setTyped(undefined)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setTyped(undefined)
            if (!isOpen) return
            if (event.key === 'Enter') {
              event.preventDefault()
              choose(found[active])
            }
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
            event.preventDefault()
            const step = event.key === 'ArrowDown' ? 1 : -1
            setActive((active + step + Math.max(found.length, 1)) % Math.max(found.length, 1))
          }}
        />
      </span>
      {isOpen ? (
        <ul class="results card" role="listbox" id={`${id}-list`} aria-label={label}>
          {found.length === 0 ? (
            <li role="option" aria-selected="false" aria-disabled="true">
              {t.notFound}
            </li>
          ) : null}
          {found.map((product, i) => (
            <li
              key={product.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              // Before the field loses the focus, which closes the list.
              onMouseDown={(event) => {
                event.preventDefault()
                choose(product)
              }}
            >
              <span>{product.title}</span>
              <span class="faint">
                {product.variants[0] ? (
                  <Money amount={product.variants[0].price.amount} currency={product.variants[0].price.currency} />
                ) : null}{' '}
                {product.variants[0]?.barcodes?.[0]?.value ?? product.id}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
