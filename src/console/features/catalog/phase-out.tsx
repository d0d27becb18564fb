/** Whether a product is ordered, and the switch to phase it out on the whole route, with a confirmation. */
import { useState } from 'preact/hooks'
import type { SkuRecord } from '../../../contract/shapes/catalog.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { texts } from '../../lib/text/i18n.ts'
import { href } from '../../lib/router.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

interface Props {
  readonly record: SkuRecord
  readonly put: (record: SkuRecord) => void
}

export function PhaseOut({ record, put }: Props) {
  const t = texts().operator.phaseOut
  const [isAsking, setAsking] = useState(false)
  if (!record.namespace.endsWith('-machine')) return null
  const { route = false, locations = [] } = record.phase_out ?? {}
  return (
    <Section
      title={t.title}
      aside={
        <Button needs="setPhaseOut" small kind={route ? 'plain' : 'danger'} onClick={() => setAsking(true)}>
          {route ? t.resume : t.stop}
        </Button>
      }
    >
      <p>{route ? <Badge tone="warn">{t.route}</Badge> : t.ordered}</p>
      {locations.length === 0 ? null : (
        <p class="note">
          {t.machines(locations.length)}{' '}
          {locations.map((id) => (
            <span key={id}>
              <a href={href.machine(id)}>{id}</a>{' '}
            </span>
          ))}
        </p>
      )}
      {isAsking ? <Confirm record={record} put={put} stop={!route} onClose={() => setAsking(false)} /> : null}
    </Section>
  )
}

function Confirm({ record, put, stop, onClose }: Props & { readonly stop: boolean; readonly onClose: () => void }) {
  const t = texts().operator.phaseOut
  const product = record.title ?? record.sku_id
  const change = useAction(async () => {
    put(await client.setPhaseOut({ params: { sku_id: record.sku_id }, body: { phase_out: stop } }))
    toast(stop ? t.stopped : t.resumed)
    onClose()
  })
  return (
    <ActionDialog
      title={stop ? t.stopTitle : t.resumeTitle}
      action={change}
      submit={stop ? t.stop : t.resume}
      kind={stop ? 'danger' : 'primary'}
      onClose={onClose}
    >
      <p>{stop ? t.stopText(product) : t.resumeText(product)}</p>
    </ActionDialog>
  )
}
