/** Products that a person collects for a purchase, kept in this browser until it is created. */
import { computed, effect, signal } from '@preact/signals'
import type { SaleUnit } from '../../../contract/shapes/catalog.ts'
import { person } from '../../lib/service/identity.ts'
import { readSetting, saveSetting } from '../../lib/storage.ts'

export interface BasketLine {
  readonly sku: string
  readonly title: string
  readonly unit: SaleUnit['unit']
  readonly quantity: number
  /** In which units the supplier sells it. */
  readonly units: readonly SaleUnit[]
}

export type Purchasable = Pick<BasketLine, 'sku' | 'title' | 'units'>

interface Saved {
  readonly person: string
  readonly lines: readonly BasketLine[]
}

const SETTING = 'basket'

function readSaved(): Saved {
  try {
    return JSON.parse(readSetting(SETTING) ?? '') as Saved
  } catch {
    return { person: '', lines: [] }
  }
}

const saved = signal<Saved>(readSaved())

/** Of who is signed in: what somebody else collected on this device is not shown. */
export const basket = computed(() => (saved.value.person === person.value ? saved.value.lines : []))

// After a sign-in the service says a moment later who it is: what was collected until then is theirs.
effect(() => {
  const { person: owner, lines } = saved.peek()
  if (person.value !== '' && owner === '' && lines.length > 0) setBasket(lines)
})

export function setBasket(lines: readonly BasketLine[]): void {
  saved.value = { person: person.peek(), lines }
  // Nothing is stored for nobody: the next person on this device would see it.
  if (person.peek() !== '') saveSetting(SETTING, JSON.stringify(saved.value))
}

export const supplierOf = (sku: string): string => sku.split(':')[0] ?? ''

/** The smallest quantity of a unit that can be bought. */
const smallestQuantity = ({ minimum = 1, increment = 1 }: SaleUnit): number =>
  Math.max(1, Math.ceil(minimum / increment) * increment)

/** Boxes where there are any: they are what a supplier ships. */
const usualUnit = (units: readonly SaleUnit[]): SaleUnit | undefined =>
  units.find(({ unit }) => unit === 'BX') ?? units[0]

/** The line that covers so many single items, in the usual unit. */
export function lineFor(product: Purchasable, items: number): BasketLine | undefined {
  const unit = usualUnit(product.units)
  if (!unit) return undefined
  const step = unit.increment ?? 1
  const wanted = Math.ceil(items / (unit.unit === 'BX' ? (unit.contains ?? 1) : 1))
  return { ...product, unit: unit.unit, quantity: Math.max(smallestQuantity(unit), Math.ceil(wanted / step) * step) }
}

/** A product that is there already in the same unit gets the sum. */
export function withLine(lines: readonly BasketLine[], line: BasketLine): readonly BasketLine[] {
  const known = lines.find(({ sku, unit }) => sku === line.sku && unit === line.unit)
  return known
    ? lines.map((one) => (one === known ? { ...line, quantity: one.quantity + line.quantity } : one))
    : [...lines, line]
}

/** Zero removes the line. */
export const withQuantity = (lines: readonly BasketLine[], line: BasketLine, quantity: number): readonly BasketLine[] =>
  quantity <= 0
    ? lines.filter((one) => one !== line)
    : lines.map((one) => (one === line ? { ...one, quantity: Math.floor(quantity) } : one))

export const withUnit = (
  lines: readonly BasketLine[],
  line: BasketLine,
  unit: SaleUnit['unit'],
): readonly BasketLine[] => {
  const others = lines.filter((one) => one !== line)
  const sold = line.units.find((one) => one.unit === unit)
  const isThere = others.some((one) => one.sku === line.sku && one.unit === unit)
  if (!sold || isThere) return lines
  return lines.map((one) => (one === line ? { ...line, unit, quantity: smallestQuantity(sold) } : one))
}

export const stepOf = ({ units, unit }: BasketLine): number => units.find((one) => one.unit === unit)?.increment ?? 1

export function addToBasket(product: Purchasable): void {
  const line = lineFor(product, 1)
  if (line) setBasket(withLine(basket.value, line))
}
