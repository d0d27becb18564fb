/** What came of each product of a purchase: whole cases and single units, filled in as the supplier confirmed it. */
import { textsOf } from '../../lib/text/i18n.ts'
import { STOREROOM } from '../../locales/storeroom.ts'
import { type ConfirmedProduct, type TypedCount, typedCountOf, unitsTyped } from './storeroom.ts'

/** By product. */
export type Typed = Readonly<Record<string, TypedCount>>

/** What the service takes; undefined while something typed is no number. */
export function deliveredOf(products: readonly ConfirmedProduct[], typed: Typed) {
  const delivered = products.map((product) => ({
    item: { id: product.id },
    quantity: unitsTyped(typed[product.id] ?? typedCountOf(product), product.contains),
  }))
  return delivered.every((line) => line.quantity !== undefined)
    ? delivered.map(({ item, quantity = 0 }) => ({ item, quantity }))
    : undefined
}

interface Props {
  readonly products: readonly ConfirmedProduct[]
  readonly typed: Typed
  readonly onChange: (typed: Typed) => void
}

export function CameList({ products, typed, onChange }: Props) {
  const t = textsOf(STOREROOM).arrived
  return (
    <ul class="count-list">
      {products.map((product) => {
        const { id, title, units, contains } = product
        const value = typed[id] ?? typedCountOf(product)
        const came = unitsTyped(value, contains)
        const set = (part: Partial<TypedCount>) => onChange({ ...typed, [id]: { ...value, ...part } })
        const step = (by: number) =>
          onChange({ ...typed, [id]: typedCountOf({ units: Math.max(0, (came ?? units) + by), contains }) })
        return (
          <li key={id} class={came === units ? 'line' : 'line differs'}>
            <span>
              {title}
              <span class="faint one-line">
                {t.confirmed(units)}
                {came === undefined || came === units ? '' : ` · ${t.came(came)}`}
              </span>
            </span>
            <span class="row came-count">
              {contains === 1 ? null : (
                <label class="line">
                  <span class="stepper">
                    <input
                      type="number"
                      min="0"
                      inputMode="numeric"
                      aria-label={t.casesOf(title)}
                      aria-invalid={came === undefined ? true : undefined}
                      value={value.cases}
                      onInput={(event) => set({ cases: event.currentTarget.value })}
                    />
                  </span>
                  <span class="faint">{t.cases(contains)}</span>
                </label>
              )}
              <span class="stepper">
                <button type="button" onClick={() => step(-1)} aria-label={t.less(title)}>
                  −
                </button>
                <input
                  type="number"
                  min="0"
                  inputMode="numeric"
                  aria-label={t.countOf(title)}
                  aria-invalid={came === undefined ? true : undefined}
                  value={value.singles}
                  onInput={(event) => set({ singles: event.currentTarget.value })}
                />
                <button type="button" onClick={() => step(1)} aria-label={t.more(title)}>
                  +
                </button>
              </span>
              {contains === 1 ? null : <span class="faint">{t.singles}</span>}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
