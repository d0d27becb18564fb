import type { ShiftStatus } from '../../../contract/shapes/operator/operator.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import type { Tone } from '../../lib/text/tone.ts'
import { ACTIVITY } from '../../locales/work/activity.ts'
import { Badge } from '../../ui/value.tsx'

const TONES: Readonly<Record<ShiftStatus, Tone>> = {
  running: 'info',
  done: 'ok',
  waiting: 'warn',
  failed: 'bad',
  stopped: 'bad',
}

export const ShiftBadge = ({ status }: { readonly status: ShiftStatus }) => (
  <Badge tone={TONES[status]}>{textsOf(ACTIVITY).statuses[status]}</Badge>
)
