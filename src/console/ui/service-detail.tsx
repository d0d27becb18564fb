import { isEnglish, texts } from '../lib/text/i18n.ts'
import { reasonZh } from '../../texts/reasons-zh.ts'

/** The service's own English text, collapsed, beside its translation. */
export const ServiceDetail = ({ text }: { readonly text: string }) => (
  <details class="service-detail">
    <summary>{texts().failure.details}</summary>
    <p lang="en">{text}</p>
  </details>
)

const translate = (text: string) => (isEnglish() || text.startsWith('HTTP ') ? text : reasonZh(text))

/** A reason that has no code: translated where it is known, else collapsed. */
export const serviceReason = (text: string) => translate(text) ?? <ServiceDetail text={text} />

/** The same for files. */
export const reasonText = (text: string): string => translate(text) ?? text
