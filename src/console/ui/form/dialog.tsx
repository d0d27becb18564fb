/** The native modal dialog: it traps focus, closes on Escape and returns the focus. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { noteDialog } from '../../lib/router.ts'
import { texts } from '../../lib/text/i18n.ts'
import { Button } from '../button.tsx'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly footer?: ComponentChildren
  /** Slides in from the side, or from below on a phone. */
  readonly drawer?: boolean
  /** It cannot be closed while its action runs. */
  readonly busy?: boolean
  readonly onSubmit?: () => void
}

/** Where the browser cannot return the focus because what opened the dialog is gone or disabled, the page's heading gets it. */
function restoreFocus(opener: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus()
  })
}

export function Dialog({ title, onClose, children, footer, drawer = false, busy = false, onSubmit }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const closing = useRef<() => void>(() => {})
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    dialog?.showModal()
    const forget = noteDialog(() => closing.current())
    return () => {
      dialog?.close()
      forget()
      restoreFocus(opener)
    }
  }, [])
  const close = () => {
    if (!busy) onClose()
  }
  closing.current = close
  const body = (
    <>
      <div class="line dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" small icon="cross" aria-label={texts().close} onClick={close} disabled={busy} />
      </div>
      <div class="stack dialog-body">{children}</div>
      {footer ? <div class="dialog-foot">{footer}</div> : null}
    </>
  )
  return (
    <dialog
      ref={ref}
      class={drawer ? 'drawer' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) close()
      }}
    >
      {onSubmit ? (
        <form
          class="dialog-box"
          onSubmit={(event) => {
            event.preventDefault()
            onSubmit()
          }}
        >
          {body}
        </form>
      ) : (
        <div class="dialog-box">{body}</div>
      )}
    </dialog>
  )
}
