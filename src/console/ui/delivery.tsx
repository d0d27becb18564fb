/** How the goods get here: an address, or a pickup site and hour. What is missing is said at the field. */
import { useState } from 'preact/hooks'
import type { Checkout, FulfillmentMethod } from '../../contract/checkout.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { ADDRESS_FIELDS, isEditable, messagesAt } from '../lib/checkout.ts'
import type { AddressField, Delivery as Way } from '../lib/checkout.ts'
import { w } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { Field, Select } from './field.tsx'
import { Failure } from './messages.tsx'
import { Choice, Facts, Section } from './parts.tsx'
import { toast } from './toast.tsx'

const METHOD = '$.fulfillment.methods[0]'
type Address = Readonly<Partial<Record<AddressField, string>>>

function addressOf(method: FulfillmentMethod | undefined): Address {
  if (method?.type !== 'shipping') return {}
  const destination =
    method.destinations.find(({ id }) => id === method.selected_destination_id) ?? method.destinations[0]
  return Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, destination?.[field] ?? '']))
}

export function Delivery({
  checkout,
  put,
}: {
  readonly checkout: Checkout
  readonly put: (checkout: Checkout) => void
}) {
  const words = w().delivery
  const method = checkout.fulfillment?.methods[0]
  const editable = isEditable(checkout.status)
  const [way, setWay] = useState<Way>(method?.type ?? 'shipping')
  const [address, setAddress] = useState<Address>(addressOf(method))
  const known = method?.type === way ? method : undefined
  const [site, setSite] = useState(known?.selected_destination_id ?? '')
  const [slot, setSlot] = useState(known?.groups[0]?.selected_option_id ?? '')
  const missing = (path: string) => (known ? messagesAt(checkout.messages, path)[0]?.content : undefined)

  const save = useAction(async () => {
    const filled = Object.fromEntries(Object.entries(address).filter(([, value]) => value?.trim()))
    const asked =
      way === 'shipping'
        ? { type: way, destinations: [{ ...filled, address_country: 'CN' }] }
        : { type: way, selected_destination_id: site || null, groups: [{ selected_option_id: slot || null }] }
    put(await client.updateCheckout({ params: { id: checkout.id }, body: { fulfillment: { methods: [asked] } } }))
    toast(words.saved)
  })

  if (!editable) return <Chosen method={method} />
  const offers = known?.type === 'pickup' ? known : undefined
  return (
    <Section title={words.title} note={method ? undefined : words.choose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save.run()
        }}
      >
        <Choice
          label={words.way}
          value={way}
          onChange={(value) => setWay(value as Way)}
          tabs={[
            { name: 'shipping', text: words.shipping },
            { name: 'pickup', text: words.pickup },
          ]}
        />
        {way === 'shipping' ? (
          <div class="form-grid">
            {ADDRESS_FIELDS.map((field) => (
              <Field
                key={field}
                label={words.fields[field]}
                name={field}
                value={address[field] ?? ''}
                onInput={(value) => setAddress({ ...address, [field]: value })}
                autocomplete={AUTOCOMPLETE[field]}
                {...(field === 'phone_number' ? { type: 'tel' } : {})}
                required={REQUIRED.has(field)}
                wrong={missing(`${METHOD}.destinations[0].${field}`)}
              />
            ))}
          </div>
        ) : offers ? (
          <div class="form-grid">
            <Select
              label={words.site}
              value={site}
              onChange={setSite}
              wrong={missing(`${METHOD}.selected_destination_id`)}
              options={[
                ['', words.chooseOne],
                ...offers.destinations.map(
                  ({ id, name, street_address: street }) =>
                    [id, [name, street].filter(Boolean).join(' · ') || id] as const,
                ),
              ]}
            />
            <Select
              label={words.slot}
              value={slot}
              onChange={setSlot}
              wrong={missing(`${METHOD}.groups[0].selected_option_id`)}
              options={[
                ['', words.chooseOne],
                ...(offers.groups[0]?.options ?? []).map(({ id, title }) => [id, title] as const),
              ]}
            />
          </div>
        ) : (
          <p class="note">{words.pickupNext}</p>
        )}
        {save.error === undefined ? null : <Failure error={save.error} compact />}
        <div class="row end">
          <Button kind={checkout.status === 'incomplete' ? 'primary' : 'plain'} type="submit" busy={save.busy}>
            {way === 'pickup' && !offers ? words.showSites : words.save}
          </Button>
        </div>
      </form>
    </Section>
  )
}

const REQUIRED: ReadonlySet<AddressField> = new Set(['first_name', 'phone_number', 'street_address'])
const AUTOCOMPLETE = {
  first_name: 'name',
  phone_number: 'tel',
  street_address: 'street-address',
  address_locality: 'address-level2',
  postal_code: 'postal-code',
} as const satisfies Record<AddressField, string>

function Chosen({ method }: { readonly method: FulfillmentMethod | undefined }) {
  const words = w().delivery
  if (!method) return null
  const destination = method.destinations.find(({ id }) => id === method.selected_destination_id)
  const option = method.groups[0]?.options.find(({ id }) => id === method.groups[0]?.selected_option_id)
  const address = [
    destination?.name,
    destination?.first_name,
    destination?.phone_number,
    destination?.street_address,
    destination?.address_locality,
  ]
  return (
    <Section title={words.title}>
      <Facts
        of={[
          [words.way, method.type === 'pickup' ? words.pickup : words.shipping],
          destination
            ? [method.type === 'pickup' ? words.site : words.to, address.filter(Boolean).join(' · ')]
            : undefined,
          option ? [words.slot, option.title] : undefined,
        ]}
      />
    </Section>
  )
}
