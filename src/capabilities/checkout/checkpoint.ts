/** Named steps of a purchase at which tests kill the process. In production nothing happens here. */
export type Checkpoint = 'assessed' | 'claimed' | 'answered' | 'settled'

let onReached: (at: Checkpoint) => void = () => {}

export const checkpoint = (at: Checkpoint): void => onReached(at)

/** @internal For tests. */
export function onCheckpoint(act: (at: Checkpoint) => void): void {
  onReached = act
}
