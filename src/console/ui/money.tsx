import { money } from '../lib/format.ts'

interface Props {
  readonly amount: number
  readonly currency: string
}

export const Money = ({ amount, currency }: Props) => <span class="number">{money(amount, currency)}</span>
