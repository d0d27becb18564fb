/** Instead of a page: there is none at the address, or the role may not read it. */
import { CODES } from '../../../texts/index.ts'
import type { PageName } from '../../lib/routes.ts'
import { textsOf, texts } from '../../lib/text/i18n.ts'
import { me } from '../../lib/service/me.ts'
import { Empty } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/section.tsx'

/** Nothing is asked of the service. */
export function NotAllowed({ page }: { readonly page: PageName }) {
  const t = texts()
  const role = me.value?.role
  return (
    <>
      <PageHeader title={t.pages[page]} />
      <Empty icon="guardrails" title={textsOf(CODES).forbidden}>
        {role === undefined ? null : t.notAllowed(t.roles[role])}
      </Empty>
    </>
  )
}

export const NotFound = () => (
  <>
    <PageHeader title={texts().notFound.title} />
    <Empty icon="search" title={texts().notFound.text}>
      <a href="/">{texts().pages.today}</a>
    </Empty>
  </>
)
