import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OWN_EVENT_KINDS } from '../../contract/event-codes.ts'
import { isReservedKind } from './event.ts'

test('6.2 a kind of the service stays one in other case, width, with spaces or invisible characters', () => {
  const between = fc.constantFrom('', ' ', '\t', '\u200b', '\u00ad', '\u2060', '\ufe0f', '\u3000')
  const wide = (letter: string) => (/[a-z]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter)
  const spelt = fc
    .constantFrom(...OWN_EVENT_KINDS)
    .chain((kind) =>
      fc
        .tuple(
          ...kind
            .split('')
            .map((letter) =>
              fc
                .tuple(fc.constantFrom(letter, letter.toUpperCase(), wide(letter)), between)
                .map((parts) => parts.join('')),
            ),
        )
        .map((letters) => letters.join('')),
    )
  fc.assert(fc.property(spelt, isReservedKind))
})

test('6.1 any other kind is open to callers', () => {
  for (const kind of ['note', 'checkout_note', 'orders', 'my.order', '订单']) expect(isReservedKind(kind)).toBe(false)
})
