/** The picture of a machine product, from this service; a neutral one where there is none. Its name stands beside it. */
import { useState } from 'preact/hooks'

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
