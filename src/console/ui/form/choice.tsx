import { count } from '../../lib/text/format.ts'

interface Tab {
  readonly name: string
  readonly text: string
  readonly count?: number | undefined
}

interface Props {
  readonly label: string
  /** A record: the texts by name. */
  readonly tabs: readonly Tab[] | Readonly<Record<string, string>>
  readonly value: string
  readonly onChange: (name: string) => void
}

const tabsOf = (tabs: Props['tabs']): readonly Tab[] =>
  Array.isArray(tabs) ? tabs : Object.entries(tabs).map(([name, text]) => ({ name, text }))

/** Radio buttons styled as tabs, so that arrow keys work without code. */
export const Choice = ({ label, tabs, value, onChange }: Props) => (
  <fieldset class="choice">
    <legend class="hidden">{label}</legend>
    {tabsOf(tabs).map(({ name, text, count: n }) => (
      <label key={name} class={name === value ? 'chosen' : ''}>
        <input type="radio" name={label} value={name} checked={name === value} onChange={() => onChange(name)} />
        {text}
        {n === undefined ? null : <span class="count">{count(n)}</span>}
      </label>
    ))}
  </fieldset>
)
