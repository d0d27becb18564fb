import { count } from '../lib/format.ts'

export interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly name: string; readonly text: string; readonly count?: number | undefined }[]
  readonly value: string
  readonly onChange: (name: string) => void
}

/** Radio buttons styled as tabs, so that arrow keys work without code. */
export const Choice = ({ label, tabs, value, onChange }: TabsProps) => (
  <fieldset class="choice">
    <legend class="hidden">{label}</legend>
    {tabs.map(({ name, text, count: n }) => (
      <label key={name} class={name === value ? 'chosen' : ''}>
        <input type="radio" name={label} value={name} checked={name === value} onChange={() => onChange(name)} />
        {text}
        {n === undefined ? null : <span class="count">{count(n)}</span>}
      </label>
    ))}
  </fieldset>
)
