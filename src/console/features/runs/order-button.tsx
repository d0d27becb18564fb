/** Orders what the plan says, after a look at sum, suppliers and machines. Not offered while purchases are blocked. */
import { useState } from 'preact/hooks'
import { texts, words } from '../../lib/text/i18n.ts'
import { type Block, useBlock } from '../../lib/service/queries.ts'
import { Button } from '../../ui/button.tsx'
import type { OrderDialog } from './order-dialog.tsx'

/** The button, and what is shown below the head of the page: why it cannot be pressed. */
export function useOrder(isReady: boolean, label = words().orderNow) {
  const block = useBlock(texts().complete.stopped)
  const [Order, setOrder] = useState<typeof OrderDialog>()
  const open = async () => {
    const { OrderDialog: dialog } = await import('./order-dialog.tsx')
    setOrder(() => dialog)
  }
  return {
    button: (
      <>
        <Button
          needs="createRun"
          kind="primary"
          aria-haspopup="dialog"
          onClick={() => void open()}
          disabled={!isReady || block !== undefined}
          aria-describedby={block && 'create-blocked'}
        >
          {label}
        </Button>
        {Order ? <Order onClose={() => setOrder(undefined)} /> : null}
      </>
    ),
    outcome: block ? <OrderBlocked block={block} /> : null,
  }
}

export const OrderBlocked = ({ block: { title, text, fix } }: { readonly block: Block }) =>
  fix ? (
    <p id="create-blocked" class="note">
      {title}. {text} <a href={fix.href}>{fix.text}</a>
    </p>
  ) : (
    <p id="create-blocked" class="note toned bad">
      {text}
    </p>
  )
