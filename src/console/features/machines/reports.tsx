/** Faults that somebody reported at a machine, and photos of it. */
import type { MachineReport } from '../../../contract/shapes/service.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { useResource } from '../../lib/service/resource.ts'
import { fromNow, shortTime } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'
import { personName } from '../../lib/text/value-text.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Photo } from '../../ui/picture.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

const useReports = (location: string) =>
  useResource(
    `reports ${location}`,
    async (signal) => (await client.listReports({ params: { id: location }, signal })).reports,
    ['location'],
  )

const isOpen = ({ fault, fixed_at: fixed }: MachineReport): boolean => fault !== undefined && fixed === undefined
const byWhom = ({ by }: MachineReport): string => (by ? ` · ${personName(by.name)}` : '')

/** What does not work now, above everything else. */
export function OpenFaults({ location }: { readonly location: string }) {
  const t = texts().machine.reports
  const reports = useReports(location)
  const fix = useAction(async (report: MachineReport) => {
    await client.fixFault({ params: { id: location, report_id: report.id } })
    toast(t.fixedToast)
    await reports.reload()
  })
  return (
    <>
      {(reports.data ?? []).filter(isOpen).map((report) => (
        <Notice
          key={report.id}
          tone="bad"
          title={report.fault}
          action={
            <Button needs="fixFault" busy={fix.busy} onClick={() => void fix.run(report)}>
              {t.fix}
            </Button>
          }
        >
          <div class="row">
            {t.reported(fromNow(report.occurred_at))}
            {byWhom(report)}
            {report.photo ? <Photo path={report.photo} /> : null}
          </div>
        </Notice>
      ))}
      {fix.error === undefined ? null : <Failure error={fix.error} compact />}
    </>
  )
}

export function PastReports({ location }: { readonly location: string }) {
  const t = texts().machine.reports
  const past = (useReports(location).data ?? []).filter((report) => !isOpen(report))
  if (past.length === 0) return null
  return (
    <Section title={t.title}>
      <ul class="rows">
        {past.map((report) => (
          <li key={report.id}>
            <span>
              {report.fault ?? t.photo}{' '}
              <span class="faint">
                {shortTime(report.occurred_at)}
                {byWhom(report)}
                {report.fixed_at ? ` · ${t.fixed(shortTime(report.fixed_at))}` : ''}
              </span>
            </span>
            {report.photo ? <Photo path={report.photo} /> : null}
          </li>
        ))}
      </ul>
    </Section>
  )
}
