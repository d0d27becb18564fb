/** The swaps of the whole route: what would earn more where, and what waits for the owner or the driver. */
import { texts } from '../../lib/text/i18n.ts'
import { PageHeader } from '../../ui/section.tsx'
import { SwapsSection } from './swaps-section.tsx'

export const Swaps = () => (
  <>
    <PageHeader
      title={texts().pages.swaps}
      back={{ href: '/plan', text: texts().pages.plan }}
      lead={texts().operator.swaps.routeNote}
    />
    <SwapsSection />
  </>
)
