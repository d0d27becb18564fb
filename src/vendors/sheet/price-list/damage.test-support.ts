/** Files with one byte that is another, for tests of what reads them. */
import * as fc from 'fast-check'

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** Signs that change how a file is split, and bits that flip. Digits are left out: nobody can notice that one was another. */
export const damage = (bytes: Buffer): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.nat(bytes.length - 1), fc.oneof(fc.constantFrom(...Buffer.from('",;\r\n -.x')), fc.nat(7)))
    .map(([at, change]) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = change < 8 ? (bytes[at] ?? 0) ^ (1 << change) : change
      return isDigit(damaged[at]) || isDigit(bytes[at]) ? bytes : damaged
    })
