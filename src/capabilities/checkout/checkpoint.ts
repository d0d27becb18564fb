/** Named steps of a purchase at which tests kill the process. In production nothing happens here. */
export type Checkpoint = 'assessed' | 'claimed' | 'answered' | 'settled'

let reached: (at: Checkpoint) => void = () => {}

export const checkpoint = (at: Checkpoint): void => reached(at)

/** @internal For tests. */
export function onCheckpoint(act: (at: Checkpoint) => void): void {
  reached = act
}
