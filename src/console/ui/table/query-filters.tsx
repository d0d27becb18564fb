/** Filters of a list whose value is kept in the query of the page. */
import type { ComponentProps } from 'preact'
import { query, setQuery } from '../../lib/router.ts'
import { Choice } from '../form/choice.tsx'
import { Field, Select } from '../form/field.tsx'

type ChoiceProps = Omit<ComponentProps<typeof Choice>, 'onChange'> & { readonly of: string }

/** `of` is the name in the query. The first tab is the one that the query does not name. */
export function QueryChoice({ of, ...choice }: ChoiceProps) {
  const usual = Array.isArray(choice.tabs) ? choice.tabs[0]?.name : Object.keys(choice.tabs)[0]
  return <Choice {...choice} onChange={(value) => setQuery({ [of]: value === usual ? undefined : value })} />
}

type SelectProps = Pick<ComponentProps<typeof Select>, 'label' | 'options'> & {
  readonly of: string
  readonly value?: string
}

export const QuerySelect = ({ of, value = query(of), ...select }: SelectProps) => (
  <Select {...select} hideLabel value={value} onChange={(next) => setQuery({ [of]: next })} />
)

/** Its label is the placeholder. */
export const SearchField = ({ label }: { readonly label: string }) => (
  <Field
    label={label}
    hideLabel
    type="search"
    placeholder={label}
    value={query('q')}
    onInput={(q) => setQuery({ q })}
  />
)
