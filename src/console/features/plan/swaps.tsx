/** The swaps of the whole route: what would earn more where, and what waits for the owner or the driver. */
import { texts, words } from '../../lib/text/i18n.ts'
import { useNames } from '../../lib/service/queries.ts'
import { query } from '../../lib/router.ts'
import { PageHeader } from '../../ui/section.tsx'
import { SwapsSection } from './swaps-section.tsx'

export const Swaps = () => (
  <>
    <PageHeader
      title={texts().pages.swaps}
      back={{ href: '/plan', text: texts().pages.plan }}
      lead={texts().operator.swaps.routeNote}
    />
    {query('machine') ? <OfMachine location={query('machine')} /> : <SwapsSection />}
  </>
)

/** With a way back to all. */
function OfMachine({ location }: { readonly location: string }) {
  const { name } = useNames([location])
  return (
    <div class="stack">
      <SwapsSection location={location} title={name(location)} />
      <p>
        <a href="/swaps">{words().allMachines}</a>
      </p>
    </div>
  )
}
