/** Syncs all machines now, which takes a while, and shows the result. */
import type { SyncReport } from '../../../contract/shapes/location.ts'
import { useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { texts } from '../../lib/text/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { Notice } from '../../ui/notice.tsx'

const SYNC_TIMEOUT_MS = 180_000

export function useSync(done: () => void) {
  const [report, setReport] = useState<SyncReport>()
  const action = useAction(async () => {
    setReport(undefined)
    setReport(await client.syncLocations({ body: {}, timeoutMs: SYNC_TIMEOUT_MS }))
    done()
  })
  return { ...action, report }
}

export type Sync = ReturnType<typeof useSync>

export const SyncButton = ({ sync }: { readonly sync: Sync }) => (
  <Button needs="syncLocations" icon="sync" action={sync}>
    {sync.busy ? texts().sync.busy : texts().sync.now}
  </Button>
)

export const SyncOutcome = ({ sync }: { readonly sync: Sync }) => (
  <div role="status" class="stack">
    {sync.error === undefined ? null : <Failure error={sync.error} retry={() => void sync.run()} />}
    {sync.report ? (
      <>
        <Notice tone="ok" title={texts().sync.done}>
          {texts().sync.report(sync.report)}
        </Notice>
        <Messages messages={sync.report.messages} />
      </>
    ) : null}
  </div>
)
