import { isEnglish, texts } from '../lib/i18n.ts'
import { reasonZh } from '../locales/reasons-zh.ts'

/** The service's own English text, collapsed, beside its translation. */
export const ServiceDetail = ({ text }: { readonly text: string }) => (
  <details class="service-detail">
    <summary>{texts().failure.details}</summary>
    <p lang="en">{text}</p>
  </details>
)

/** A reason that has no code: translated where it is known, else collapsed. Called as a function, so that files get its text. */
export const serviceReason = (text: string) => {
  const said = isEnglish() || text.startsWith('HTTP ') ? text : reasonZh(text)
  return said ?? <ServiceDetail text={text} />
}
