/** Labelled form fields; hint and error are linked to the input for screen readers. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Common {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  /** The label is only for screen readers. */
  readonly hideLabel?: boolean
}

interface FieldProps extends Common {
  readonly type?: 'text' | 'search' | 'password' | 'tel' | 'number' | 'date'
  readonly name?: string
  readonly autocomplete?: string
  readonly autofocus?: boolean
  readonly required?: boolean
  readonly disabled?: boolean
  readonly spellcheck?: boolean
  readonly inputMode?: 'decimal' | 'numeric'
  readonly min?: string
  readonly maxLength?: number
  readonly placeholder?: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly prefix?: string
}

const Frame = ({
  id,
  label,
  hint,
  error,
  hideLabel = false,
  children,
}: Common & { readonly id: string; readonly children: ComponentChildren }) => (
  <div class={`stack field${error ? ' wrong' : ''}`}>
    <label for={id} class={hideLabel ? 'hidden' : ''}>
      {label}
    </label>
    {children}
    {error ? (
      <p class="note field-wrong" id={`${id}-wrong`}>
        {error}
      </p>
    ) : null}
    {hint ? (
      <p class="note" id={`${id}-hint`}>
        {hint}
      </p>
    ) : null}
  </div>
)

const describedBy = (id: string, hint: unknown, wrong: unknown) =>
  [wrong ? `${id}-wrong` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ') || undefined

export function Field({ label, hint, error, hideLabel, value, onInput, prefix, type = 'text', ...rest }: FieldProps) {
  const id = useId()
  const attributes: object = { ...rest, type }
  return (
    <Frame id={id} label={label} hint={hint} error={error} {...(hideLabel ? { hideLabel } : {})}>
      <span class="input">
        {prefix ? <span class="prefix">{prefix}</span> : null}
        <input
          {...attributes}
          id={id}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
        />
      </span>
    </Frame>
  )
}

interface SelectProps extends Common {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, text: string])[]
}

export function Select({ label, hint, error, hideLabel, value, onChange, options }: SelectProps) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error} {...(hideLabel ? { hideLabel } : {})}>
      <select
        id={id}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name} selected={name === value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  )
}
