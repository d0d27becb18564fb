/** Makes a run of the whole plan. Not offered while purchases are blocked. */
import { useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { texts } from '../../lib/text/i18n.ts'
import { type Block, useBlock } from '../../lib/service/queries.ts'
import { href, navigate } from '../../lib/router.ts'
import { runStatusText } from './run-text.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { toast } from '../../ui/toast.tsx'

/** The button, and what is shown below the head of the page: why it cannot be pressed, or why it failed. */
export function useCreateRun(isReady: boolean) {
  const t = texts().plan
  const block = useBlock(texts().complete.stopped)
  const create = useWrite(async (idempotencyKey) => {
    const run = await client.createRun({ idempotencyKey })
    toast(t.created(runStatusText(run)))
    navigate(href.run(run.id))
  })
  return {
    button: (
      <Button
        needs="createRun"
        kind="primary"
        icon="runs"
        action={create}
        disabled={!isReady || block !== undefined}
        aria-describedby={block && 'create-blocked'}
      >
        {create.busy ? t.creating : texts().pages.newRun}
      </Button>
    ),
    outcome: (
      <>
        {block ? <CreateBlocked block={block} /> : null}
        {create.error === undefined ? null : <Failure error={create.error} />}
      </>
    ),
  }
}

export const CreateBlocked = ({ block: { title, text, fix } }: { readonly block: Block }) =>
  fix ? (
    <p id="create-blocked" class="note">
      {title}. {text} <a href={fix.href}>{fix.text}</a>
    </p>
  ) : (
    <p id="create-blocked" class="note toned bad">
      {text}
    </p>
  )
