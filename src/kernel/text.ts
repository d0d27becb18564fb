/** Parts of the sentences that people read. One wording per cause, wherever it occurs. */

/** `1 product`, `2 products`. */
export const count = (n: number, noun: string, plural = `${noun}s`): string => `${n} ${n === 1 ? noun : plural}`

/** `力健健身房 (M1003)`; the id alone where no name is known. */
export const named = (name: string | undefined, id: string): string => (name === undefined ? id : `${name} (${id})`)

export const INVALID_CURSOR = 'Invalid cursor'
export const INVALID_SKU_ID = 'Not a valid SKU ID'
export const INVALID_MACHINE_ID = 'Not a valid machine ID'
