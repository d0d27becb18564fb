/** A page that the role of who is signed in may not read: nothing is asked of the service. */
import type { PageName } from '../lib/routes.ts'
import { texts } from '../lib/i18n.ts'
import { me } from '../lib/me.ts'
import { Empty } from '../ui/loaded.tsx'
import { PageHeader } from '../ui/section.tsx'

export function NotAllowed({ page }: { readonly page: PageName }) {
  const t = texts()
  const role = me.value?.role
  return (
    <>
      <PageHeader title={t.pages[page]} />
      <Empty icon="guardrails" title={t.codes.forbidden}>
        {role === undefined ? null : t.notAllowed(t.roles[role])}
      </Empty>
    </>
  )
}
