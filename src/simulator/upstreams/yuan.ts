import { hash } from '../world/random.ts'

/** Fen as a decimal yuan text in one of the forms seen: "36.00", "36.0", "36"; the key decides which, for product. */
export function yuanText(amountFen: number, key: string | number): string {
  const full = `${Math.floor(amountFen / 100)}.${String(amountFen % 100).padStart(2, '0')}`
  switch (hash('yuan', key) % 3) {
    case 0:
      return full
    case 1:
      return full.endsWith('0') ? full.slice(0, -1) : full
    default:
      return full.endsWith('.00') ? full.slice(0, -3) : full.endsWith('0') ? full.slice(0, -1) : full
  }
}
