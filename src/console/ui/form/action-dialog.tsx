/** A dialog around one action: it shows what went wrong and cannot be closed while the action runs. */
import type { ComponentChildren } from 'preact'
import type { Action } from '../../lib/service/action.ts'
import { texts } from '../../lib/text/i18n.ts'
import { type ButtonProps, Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from '../loaded.tsx'

interface Props extends Pick<ButtonProps, 'kind' | 'icon' | 'autofocus'> {
  readonly title: string
  readonly action: Action<readonly [], unknown> & { readonly isUnclear?: boolean }
  readonly submit: string
  /** Instead of `submit` while the action runs. */
  readonly busyText?: string
  readonly cancel?: string
  /** False while the input does not allow the action yet. */
  readonly ready?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function ActionDialog({ action, submit, busyText, cancel, ready = true, onClose, ...rest }: Props) {
  const { title, children, kind = 'primary', ...button } = rest
  return (
    <Dialog
      title={title}
      onClose={onClose}
      busy={action.busy}
      onSubmit={() => {
        if (ready) void action.run()
      }}
      footer={
        <>
          <Button onClick={onClose} disabled={action.busy}>
            {cancel ?? texts().cancel}
          </Button>
          <Button kind={kind} type="submit" busy={action.busy} disabled={!ready} {...button}>
            {action.busy ? (busyText ?? submit) : action.isUnclear ? texts().failure.sendAgain : submit}
          </Button>
        </>
      }
    >
      {children}
      {action.error === undefined ? null : <Failure error={action.error} />}
      {action.isUnclear ? <p>{texts().failure.unclear}</p> : null}
    </Dialog>
  )
}
