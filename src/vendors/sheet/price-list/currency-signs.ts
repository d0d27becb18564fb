/**
 * What may stand around an amount in a list or an export: the letters and the sign of its currency, and blanks. Only those
 * of our own currency are dropped: `€ 5` in a list of dollars must not become 5 dollars.
 */
export function currencySigns(currency: string): RegExp {
  const symbol =
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
      .formatToParts(0)
      .find(({ type }) => type === 'currency')?.value ?? currency
  // Chinese and Japanese programs write the wide one.
  const all = [currency, symbol, ...(symbol === '¥' ? ['￥'] : [])]
  const signs = all.map((sign) => RegExp.escape(sign)).join('|')
  return new RegExp(`^(?:${signs})\\s*|\\s*(?:${signs})$`, 'g')
}
