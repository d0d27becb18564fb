/** A quantity that is typed. What is being typed stays while the page around it is drawn again. */
import { useState } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly value: number
  /** NaN where no number was typed. Where the value stays as it was, the field shows it again. */
  readonly onSet: (typed: number) => void
  readonly max?: number | undefined
  readonly disabled?: boolean
}

export function QuantityInput({ label, value, onSet, max, disabled }: Props) {
  const [typed, setTyped] = useState<string>()
  return (
    <input
      type="number"
      min="0"
      max={max}
      inputMode="numeric"
      disabled={disabled}
      aria-label={label}
      value={typed ?? value}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={({ currentTarget: { valueAsNumber } }) => {
        onSet(valueAsNumber)
        setTyped(undefined)
      }}
      // There is no change event where the number typed is the one before.
      onBlur={() => setTyped(undefined)}
    />
  )
}
