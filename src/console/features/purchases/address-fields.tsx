/** The fields of a delivery address. */
import { type Address, type AddressField, ADDRESS_FIELDS } from './checkout.ts'
import { texts } from '../../lib/text/i18n.ts'
import { Field } from '../../ui/form/field.tsx'

const REQUIRED: ReadonlySet<AddressField> = new Set(['first_name', 'phone_number', 'street_address'])
const AUTOCOMPLETE = {
  first_name: 'name',
  phone_number: 'tel',
  street_address: 'street-address',
  address_locality: 'address-level2',
  address_region: 'address-level1',
  postal_code: 'postal-code',
  address_country: 'country',
} as const satisfies Record<AddressField, string>

interface Props {
  readonly address: Address
  readonly onChange: (address: Address) => void
  readonly errorOf: (field: AddressField) => string | undefined
}

export const AddressFields = ({ address, onChange, errorOf }: Props) => (
  <div class="form-grid">
    {ADDRESS_FIELDS.map((field) => (
      <Field
        key={field}
        label={texts().delivery.fields[field]}
        name={field}
        value={address[field] ?? ''}
        onInput={(value) => onChange({ ...address, [field]: value })}
        autocomplete={AUTOCOMPLETE[field]}
        {...(field === 'phone_number' ? { type: 'tel' } : {})}
        required={REQUIRED.has(field)}
        error={errorOf(field)}
      />
    ))}
  </div>
)
