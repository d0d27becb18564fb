/** A number with large buttons, for a thumb. */
interface Props {
  /** Undefined: not entered yet; the first press starts from `from`, so that "none" is one press where nothing is known. */
  readonly value: number | undefined
  readonly from: number
  readonly label: string
  readonly less: string
  readonly more: string
  readonly onChange: (value: number | undefined) => void
}

const DIGITS = /^\d{1,4}$/

export const Stepper = ({ value, from, label, less, more, onChange }: Props) => (
  <span class={`big-stepper${value === undefined ? ' unset' : ''}`}>
    <button
      type="button"
      aria-label={less}
      disabled={value !== undefined && value <= 0}
      onClick={() => onChange(Math.max(0, (value ?? from) - 1))}
    >
      −
    </button>
    <input
      type="text"
      inputMode="numeric"
      autocomplete="off"
      aria-label={label}
      value={value ?? ''}
      placeholder="–"
      onFocus={(event) => event.currentTarget.select()}
      onInput={(event) => {
        const text = event.currentTarget.value.trim()
        if (text === '') onChange(undefined)
        else if (DIGITS.test(text)) onChange(Number(text))
        else event.currentTarget.value = String(value ?? '')
      }}
    />
    <button type="button" aria-label={more} onClick={() => onChange((value ?? from) + 1)}>
      +
    </button>
  </span>
)
