/** Short confirmations that disappear by themselves and are announced to screen readers. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'

const SHOWN_MS = 6000
const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([])
let last = 0

export function toast(text: string): void {
  const id = (last += 1)
  toasts.value = [...toasts.value, { id, text }].slice(-3)
  setTimeout(() => (toasts.value = toasts.value.filter((one) => one.id !== id)), SHOWN_MS)
}

export const Toasts = () => (
  <div class="stack toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text }) => (
      <div key={id} class="line toast">
        <Icon name="check" size={16} />
        {text}
      </div>
    ))}
  </div>
)
