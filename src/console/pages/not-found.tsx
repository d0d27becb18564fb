import { texts } from '../lib/i18n.ts'
import { Empty } from '../ui/loaded.tsx'
import { PageHeader } from '../ui/section.tsx'

export const NotFound = () => (
  <>
    <PageHeader title={texts().notFound.title} />
    <Empty icon="search" title={texts().notFound.text}>
      <a href="/">{texts().pages.today}</a>
    </Empty>
  </>
)
