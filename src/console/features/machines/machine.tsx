/** One machine: its slots with stock, price and lock, its sales and its profile. */
import { useState } from 'preact/hooks'
import type { Variant } from '../../../contract/shapes/catalog.ts'
import type { Location } from '../../../contract/shapes/location.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { nowMs } from '../../lib/text/format.ts'
import { presence } from './health.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { fieldName, placeText, profileFacts } from './machine-profile.ts'
import { useResource } from '../../lib/service/resource.ts'
import { navigate } from '../../lib/router.ts'
import { useMachineProducts } from './machine-products.ts'
import { areRulesUnset, useGuardrails, useMachinePlan, useNamespaces } from '../../lib/service/queries.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { CountForm } from './count-form.tsx'
import { MachineHistory } from './machine-history.tsx'
import { OpenFaults, PastReports } from './reports.tsx'
import { MachineForm } from './machine-form.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { WhenNear } from '../../ui/near.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Badge, RelativeTime } from '../../ui/value.tsx'
import { CalendarForm } from './calendar-form.tsx'
import { Choice } from '../../ui/form/choice.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { serviceReason } from '../../ui/service-detail.tsx'
import { PriceForm } from '../prices/price-form.tsx'
import { SalesChart } from '../../ui/chart/sales-chart.tsx'
import { SlotSettings } from './slot-settings.tsx'
import { LanesSection } from './lanes-section.tsx'
import { WorthSection } from '../profit/earn.tsx'
import { SwapsSection } from '../plan/swaps-section.tsx'
import { SlotDialog } from './slot-dialog.tsx'
import { type Slot, Shelves, slotIdOf, slotState } from './slot-tile.tsx'
import { explain } from '../plan/explain.ts'
import { SyncButton, SyncOutcome, useSync } from './sync.tsx'
import { toast } from '../../ui/toast.tsx'
import { PRESENCE_TONE } from './machines.tsx'

const useLocation = (id: string) =>
  useResource(
    `location ${id}`,
    async (signal) =>
      (await client.lookupLocations({ body: { ids: [id] }, signal })).locations.find((one) => one.id === id) ?? null,
    ['location', 'sync'],
  )

export function Machine({ id }: { readonly id: string }) {
  const t = texts().machine
  const location = useLocation(id)
  const namespaces = useNamespaces()
  // A new deployment has none, and Today says so.
  const hasRules = !areRulesUnset(useGuardrails().error)
  const plan = useMachinePlan(id)
  const catalog = useMachineProducts(
    id,
    location.data ? (location.data.namespace ?? namespaces.data?.defaults.machine) : undefined,
  )
  const [editing, setEditing] = useState(false)
  const [removing, setRemoving] = useState(false)
  const [pricing, setPricing] = useState<Variant>()
  const [counting, setCounting] = useState<Variant>()
  const [show, setShow] = useState<Show>('all')
  const [opened, setOpened] = useState<string>()
  const sync = useSync(() => void Promise.all([location.reload(), catalog.reload(), plan.reload()]))
  const lock = useAction(async (variant: Variant) => {
    const slot = variant.inventory
    if (!slot) return
    const locked = !(slot.locked ?? false)
    await client.updateSlot({ params: { id, slot_id: slot.slot_id }, body: { locked } })
    toast(locked ? t.lockedToast(variant.title) : t.unlockedToast(variant.title))
    await catalog.reload()
    void plan.reload()
  })
  const entries = new Map((plan.data?.plans ?? []).map((entry) => [entry.slot_id, entry]))
  const allSlots = (catalog.data ?? [])
    .flatMap(({ variants }) => variants)
    .map((variant): Slot => ({ variant, plan: entries.get(variant.inventory?.slot_id ?? '') }))
  const slotsWait = catalog.data === undefined && catalog.error === undefined && namespaces.error === undefined
  const open = allSlots.find((slot) => slotIdOf(slot) === opened)
  const known = location.data
  const status = known ? presence(known, nowMs()) : undefined

  return (
    <>
      <PageHeader
        title={known?.name ?? (location.data === undefined && location.busy ? texts().pages.machine : id)}
        back={{ href: '/machines', text: texts().pages.machines }}
        badge={status ? <Badge tone={PRESENCE_TONE[status]}>{texts().presence[status]}</Badge> : undefined}
        lead={known ? placeText(known.profile ?? {}) || id : ' '}
        actions={
          known ? (
            <>
              <Button needs="putLocation" icon="edit" onClick={() => setEditing(true)}>
                {t.edit}
              </Button>
              <SyncButton sync={sync} />
            </>
          ) : undefined
        }
      />
      <SyncOutcome sync={sync} />
      {known === null ? (
        <Empty icon="machines" title={t.unknown(id)} />
      ) : (
        <div class="stack">
          {known ? <OpenFaults location={id} /> : null}
          {known && (known.missing?.length ?? 0) > 0 ? (
            <Notice
              tone="info"
              title={words().profileIncomplete}
              action={
                <Button needs="putLocation" small onClick={() => setEditing(true)}>
                  {t.edit}
                </Button>
              }
            >
              {t.missing((known.missing ?? []).map((field) => fieldName(field)).join(', '))}
            </Notice>
          ) : null}
          <Section
            title={t.slots}
            note={t.slotsNote(allSlots.some(({ variant }) => variant.inventory?.position !== undefined))}
            aside={
              <Choice
                label={words().filterSlots}
                value={show}
                onChange={(value) => setShow(value as typeof show)}
                tabs={{ all: words().all, empty: words().emptyNow, low: t.low, locked: t.lockedOnly }}
              />
            }
          >
            {/* Without the namespaces the slots cannot be asked for: their skeleton would stay. */}
            {namespaces.error !== undefined && catalog.data === undefined ? (
              <Failure error={namespaces.error} retry={() => void namespaces.reload()} />
            ) : (
              <Loaded resource={catalog} lines={8} height={72}>
                {(products) => {
                  const slots = allSlots.filter(SHOWS[show])
                  if (slots.length === 0)
                    return <Empty icon="machines" title={products.length === 0 ? t.noSlots : words().noSlotsMatch} />
                  return <Shelves slots={slots} onOpen={(slot) => setOpened(slotIdOf(slot))} />
                }}
              </Loaded>
            )}
          </Section>
          {known && may('getLocationHistory') ? (
            <WhenNear waits={slotsWait}>
              <MachineHistory location={id} />
            </WhenNear>
          ) : null}
          {known ? <PastReports location={id} /> : null}
          {catalog.data ? (
            <WhenNear waits={slotsWait}>
              <SlotSettings
                location={id}
                variants={catalog.data.flatMap(({ variants }) => variants)}
                onSaved={() => void Promise.all([catalog.reload(), plan.reload()])}
              />
            </WhenNear>
          ) : null}
          {known ? (
            <WhenNear waits={slotsWait}>
              <CalendarForm location={id} />
              {hasRules && may('getEarn') ? <WorthSection location={id} /> : null}
              {may('getLayout') ? <LanesSection location={id} /> : null}
              {hasRules && may('getSwaps') ? <SwapsSection location={id} /> : null}
            </WhenNear>
          ) : null}
          {may('listDailySales') ? (
            <WhenNear waits={slotsWait}>
              <SalesChart location={id} />
            </WhenNear>
          ) : null}
          {known ? (
            <Section title={t.about}>
              <Facts
                items={[
                  [texts().machineForm.id, <code>{id}</code>],
                  known.namespace ? [texts().machineForm.platform, <code>{known.namespace}</code>] : undefined,
                  known.venue_name ? [t.platformName, known.venue_name] : undefined,
                  ...profileFacts(known.profile ?? {}),
                  known.area ? [words().area, known.area] : undefined,
                  known.timezone ? [texts().machineForm.fields.time_zone, known.timezone] : undefined,
                  known.health?.last_seen_at
                    ? [t.lastSeen, <RelativeTime at={known.health.last_seen_at} />]
                    : undefined,
                  known.health?.problems.length
                    ? [t.problems, known.health.problems.map((text) => <div key={text}>{serviceReason(text)}</div>)]
                    : undefined,
                  known.last_synced_at ? [words().lastUpdate, <RelativeTime at={known.last_synced_at} />] : undefined,
                ]}
              />
              <Button needs="deleteLocation" kind="quiet" small onClick={() => setRemoving(true)}>
                {t.remove}
              </Button>
            </Section>
          ) : null}
        </div>
      )}
      {editing && known ? (
        <MachineForm location={known} onClose={() => setEditing(false)} onSaved={() => void location.reload()} />
      ) : null}
      {removing && known ? <RemoveDialog location={known} onClose={() => setRemoving(false)} /> : null}
      {open ? (
        <SlotDialog
          slot={open}
          location={id}
          why={
            open.plan &&
            plan.data &&
            explain(
              open.plan,
              plan.data.lead_time.days,
              plan.data.visits?.find(({ location: of }) => of === id),
            )
          }
          onClose={() => setOpened(undefined)}
          onPrice={() => {
            setOpened(undefined)
            setPricing(open.variant)
          }}
          onLock={() => void lock.run(open.variant)}
          onCount={() => {
            setOpened(undefined)
            setCounting(open.variant)
          }}
          busy={lock.busy}
          error={lock.error}
        />
      ) : null}
      {counting ? (
        <CountForm
          location={id}
          variant={counting}
          onClose={() => setCounting(undefined)}
          onCounted={() => void Promise.all([catalog.reload(), plan.reload()])}
        />
      ) : null}
      {pricing ? (
        <PriceForm
          location={id}
          variant={pricing}
          onClose={() => setPricing(undefined)}
          onChanged={() => void catalog.reload()}
        />
      ) : null}
    </>
  )
}

type Show = 'all' | 'empty' | 'low' | 'locked'

const SHOWS: Readonly<Record<Show, (slot: Slot) => boolean>> = {
  all: () => true,
  empty: (slot) => slotState(slot) === 'empty',
  low: (slot) => slotState(slot) === 'low',
  locked: ({ variant }) => variant.inventory?.locked ?? false,
}

/** Deletes a machine and its data, after its ID was typed as a confirmation. */
function RemoveDialog({ location, onClose }: { readonly location: Location; readonly onClose: () => void }) {
  const t = texts().machine
  const [typed, setTyped] = useState('')
  const remove = useAction(async () => {
    await client.deleteLocation({ params: { id: location.id } })
    toast(t.removedToast(location.name))
    navigate('/machines')
  })
  return (
    <ActionDialog
      title={t.remove}
      action={remove}
      kind="danger"
      submit={t.remove}
      ready={typed === location.id}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
      <Field
        label={t.typeId(location.id)}
        value={typed}
        onInput={setTyped}
        autofocus
        spellcheck={false}
        autocomplete="off"
      />
    </ActionDialog>
  )
}
