/** Pictures from this service. */
import { useState } from 'preact/hooks'
import { texts } from '../lib/text/i18n.ts'

/** Of a machine product; a neutral one where there is none. Its name stands beside it. */
export function Picture({ sku }: { readonly sku: string }) {
  // Without a line there may be none: a broken image would say nothing.
  const [failed, setFailed] = useState(false)
  return (
    <span class="picture" aria-hidden="true">
      {failed ? null : (
        <img
          src={`/pictures/${encodeURIComponent(sku)}`}
          alt=""
          width={40}
          height={40}
          loading="lazy"
          decoding="async"
          onError={() => setFailed(true)}
        />
      )}
    </span>
  )
}

/** A photo that somebody took, small; it opens in its full size. */
export const Photo = ({ path }: { readonly path: string }) => (
  <a class="photo-link" href={path} target="_blank" rel="noreferrer">
    <img src={path} alt={texts().machine.reports.photo} width={64} height={64} loading="lazy" decoding="async" />
  </a>
)
