/** Somebody else changed the session first: the transaction is rolled back and the verb looks at it anew. */
export class LostRace extends Error {}

const TRIES = 5

/** Every look starts from the store. Five lost in a row is no race any more but a fault. */
export async function untilWon<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await work()
    } catch (failure) {
      if (!(failure instanceof LostRace) || left <= 1) throw failure
    }
  }
}
