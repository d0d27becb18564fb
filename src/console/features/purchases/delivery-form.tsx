/** Chooses delivery to an address, or a pickup site and time. Errors are shown at their field. */
import { useState } from 'preact/hooks'
import type { FulfillmentMethod } from '../../../contract/shapes/checkout.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { ADDRESS_FIELDS, addressLine, filledAddress, isEditable, messagesAt } from './checkout.ts'
import type { Address, CheckoutProps, DeliveryType } from './checkout.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useOverview } from '../../lib/service/queries.ts'
import { messageLine } from '../../lib/text/service-text.ts'
import { AddressFields } from './address-fields.tsx'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Choice } from '../../ui/form/choice.tsx'
import { Facts, Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

const METHOD = '$.fulfillment.methods[0]'

/** Of the session; before there is one, where purchases usually go. */
function addressOf(method: FulfillmentMethod | undefined, remembered: Address | undefined): Address {
  if (method?.type !== 'shipping') return method ? {} : (remembered ?? {})
  const destination =
    method.destinations.find(({ id }) => id === method.selected_destination_id) ?? method.destinations[0]
  return Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, destination?.[field] ?? '']))
}

export function Delivery({ checkout, put }: CheckoutProps) {
  const t = texts().delivery
  const method = checkout.fulfillment?.methods[0]
  const editable = isEditable(checkout.status) && may('updateCheckout')
  const [type, setType] = useState<DeliveryType>(method?.type ?? 'shipping')
  const remembered = useOverview().data?.destination?.address
  const [changed, setAddress] = useState<Address>()
  const address = changed ?? addressOf(method, remembered)
  const known = method?.type === type ? method : undefined
  const [site, setSite] = useState(known?.selected_destination_id ?? '')
  const [slot, setSlot] = useState(known?.groups[0]?.selected_option_id ?? '')
  const findMissing = (path: string) => {
    const [message] = known ? messagesAt(checkout.messages, path) : []
    return message && messageLine(message)
  }

  const save = useAction(async () => {
    const method =
      type === 'shipping'
        ? { type, destinations: [filledAddress(address)] }
        : { type, selected_destination_id: site || null, groups: [{ selected_option_id: slot || null }] }
    put(await client.updateCheckout({ params: { id: checkout.id }, body: { fulfillment: { methods: [method] } } }))
    toast(t.saved)
  })

  if (!editable) return <ChosenDelivery method={method} />
  const offers = known?.type === 'pickup' ? known : undefined
  return (
    <Section title={t.title} note={method ? undefined : t.choose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save.run()
        }}
      >
        <Choice
          label={t.method}
          value={type}
          onChange={(value) => setType(value as DeliveryType)}
          tabs={{ shipping: t.shipping, pickup: t.pickup }}
        />
        {type === 'shipping' ? (
          <AddressFields
            address={address}
            onChange={setAddress}
            errorOf={(field) => findMissing(`${METHOD}.destinations[0].${field}`)}
          />
        ) : offers && offers.destinations.length === 0 ? (
          <p class="note">{t.noSites}</p>
        ) : offers ? (
          <div class="form-grid">
            <Select
              label={t.site}
              value={site}
              onChange={setSite}
              error={findMissing(`${METHOD}.selected_destination_id`)}
              options={[
                ['', t.chooseOne],
                ...offers.destinations.map(
                  ({ id, name, street_address: street }) =>
                    [id, [name, street].filter(Boolean).join(' · ') || id] as const,
                ),
              ]}
            />
            <Select
              label={words().time}
              value={slot}
              onChange={setSlot}
              error={findMissing(`${METHOD}.groups[0].selected_option_id`)}
              options={[
                ['', t.chooseOne],
                ...(offers.groups[0]?.options ?? []).map(({ id, title }) => [id, title] as const),
              ]}
            />
          </div>
        ) : (
          <p class="note">{t.pickupNext}</p>
        )}
        {save.error === undefined ? null : <Failure error={save.error} compact />}
        <div class="row end">
          <Button
            needs="updateCheckout"
            kind={checkout.status === 'incomplete' ? 'primary' : 'plain'}
            type="submit"
            busy={save.busy}
          >
            {type === 'pickup' && !offers ? t.showSites : t.save}
          </Button>
        </div>
      </form>
    </Section>
  )
}

function ChosenDelivery({ method }: { readonly method: FulfillmentMethod | undefined }) {
  const t = texts().delivery
  if (!method) return null
  const destination = method.destinations.find(({ id }) => id === method.selected_destination_id)
  const option = method.groups[0]?.options.find(({ id }) => id === method.groups[0]?.selected_option_id)
  const address = [destination?.name, destination && addressLine(destination)]
  return (
    <Section title={t.title}>
      <Facts
        items={[
          [t.method, method.type === 'pickup' ? t.pickup : t.shipping],
          destination ? [method.type === 'pickup' ? t.site : t.to, address.filter(Boolean).join(' · ')] : undefined,
          option && method.type === 'pickup' ? [words().time, option.title] : undefined,
        ]}
      />
    </Section>
  )
}
