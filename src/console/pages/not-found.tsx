import { texts } from '../lib/i18n.ts'
import { Empty } from '../ui/empty.tsx'
import { PageHeader } from '../ui/page-header.tsx'

export const NotFound = () => (
  <>
    <PageHeader title={texts().notFound.title} />
    <Empty icon="search" title={texts().notFound.text}>
      <a href="/">{texts().pages.today}</a>
    </Empty>
  </>
)
