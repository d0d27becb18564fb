/** Named steps of a purchase at which tests kill the process. In production nothing happens here. */
export type Checkpoint = 'assessed' | 'claimed' | 'answered' | 'settled'

let onReached: (step: Checkpoint) => void = () => {}

export const checkpoint = (step: Checkpoint): void => onReached(step)

/** @internal For tests. */
export function onCheckpoint(callback: (step: Checkpoint) => void): void {
  onReached = callback
}
