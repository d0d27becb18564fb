import { texts } from '../lib/i18n.ts'

/** The service's own English text, collapsed, beside its translation. */
export const ServiceDetail = ({ text }: { readonly text: string }) => (
  <details class="service-detail">
    <summary>{texts().failure.details}</summary>
    <p lang="en">{text}</p>
  </details>
)
