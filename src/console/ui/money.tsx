import { yuan } from '../lib/format.ts'

export const Money = ({ fen }: { readonly fen: number }) => <span class="number">{yuan(fen)}</span>
