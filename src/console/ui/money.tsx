import { money } from '../lib/format.ts'

interface Props {
  readonly amount: number
  readonly currency: string
  readonly isEstimated?: boolean | undefined
}

export const Money = ({ amount, currency, isEstimated = false }: Props) => (
  <>
    {isEstimated ? <span class="faint">≈ </span> : null}
    <span class="number">{money(amount, currency)}</span>
  </>
)
