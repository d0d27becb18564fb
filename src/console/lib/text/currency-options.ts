/** Currencies to choose from, with their names in the language of the page. */
import { isCurrency } from '../../../kernel/currency.ts'
import { language } from './i18n.ts'

/** With the one that is set, also where the browser does not list it. */
export function currencyOptions(known?: string): readonly (readonly [code: string, text: string])[] {
  const names = new Intl.DisplayNames(language.value, { type: 'currency' })
  const listed = Intl.supportedValuesOf('currency').filter(isCurrency)
  return [...new Set([...listed, ...(known === undefined ? [] : [known])])]
    .toSorted()
    .map((code) => [code, `${code} · ${names.of(code) ?? code}`])
}
