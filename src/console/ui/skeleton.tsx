/** Reserves the space of data that is loading, to avoid layout shift. */
export const Skeleton = ({ lines = 3, height = 20 }: { readonly lines?: number; readonly height?: number }) => (
  <div class="stack skeleton" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} style={{ height: `${height}px`, width: `${[92, 76, 84, 64][index % 4] ?? 80}%` }} />
    ))}
  </div>
)
