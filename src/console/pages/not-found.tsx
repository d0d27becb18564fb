import { w } from '../lib/i18n.ts'
import { Empty, PageHeader } from '../ui/parts.tsx'

export const NotFound = () => (
  <>
    <PageHeader title={w().notFound.title} />
    <Empty icon="search" title={w().notFound.text}>
      <a href="/">{w().pages.today}</a>
    </Empty>
  </>
)
