/** Named places on the way to an order, where tests of real processes end them. Nothing happens here otherwise. */
export type Checkpoint = 'judged' | 'claimed' | 'answered' | 'settled'

let reached: (at: Checkpoint) => void = () => {}

export const checkpoint = (at: Checkpoint): void => reached(at)

/** For the tests: what happens at each place in this process. */
export function onCheckpoint(act: (at: Checkpoint) => void): void {
  reached = act
}
