/** A number with large buttons, for a thumb. */
import { useState } from 'preact/hooks'

interface Props {
  /** Undefined: not entered yet; the first press starts from `from`, so that "none" is one press where nothing is known. */
  readonly value: number | undefined
  readonly from: number
  readonly label: string
  readonly less: string
  readonly more: string
  /** Of what is typed and is no whole number. */
  readonly wrong: string
  readonly onChange: (value: number | undefined) => void
}

const DIGITS = /^\d{1,4}$/

export function Stepper({ value, from, label, less, more, wrong, onChange }: Props) {
  /** What was typed and is no number: it stays in sight, and the form cannot be sent. */
  const [typed, setTyped] = useState<string>()
  const change = (next: number | undefined) => {
    setTyped(undefined)
    onChange(next)
  }
  return (
    <>
      <span class={`big-stepper${value === undefined ? ' unset' : ''}`}>
        <button
          type="button"
          aria-label={less}
          disabled={value !== undefined && value <= 0}
          onClick={() => change(Math.max(0, (value ?? from) - 1))}
        >
          −
        </button>
        <input
          type="text"
          inputMode="numeric"
          autocomplete="off"
          pattern="\s*\d{1,4}\s*"
          title={wrong}
          aria-label={label}
          aria-invalid={typed === undefined ? undefined : true}
          value={typed ?? value ?? ''}
          placeholder="–"
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => {
            const text = event.currentTarget.value.trim()
            if (text === '') change(undefined)
            else if (DIGITS.test(text)) change(Number(text))
            else setTyped(event.currentTarget.value)
          }}
        />
        <button type="button" aria-label={more} onClick={() => change((value ?? from) + 1)}>
          +
        </button>
      </span>
      {typed === undefined ? null : (
        <span class="note field-wrong" role="alert">
          {wrong}
        </span>
      )}
    </>
  )
}
