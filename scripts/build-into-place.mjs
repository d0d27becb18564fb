// Several starts may build at once, also while a service runs from what is there: each builds into a folder of its own, and a
// rename puts it in place. Whoever comes last wins; all of them built the same sources.
import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'

const TRIES = 10

export async function buildIntoPlace(target, build) {
  const made = `${target}.building-${randomUUID()}`
  // With the mode of any other folder: the user who runs the service need not be the one who built it.
  mkdirSync(made, { recursive: true })
  try {
    await build(made)
    install(made, target)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

function install(made, target) {
  for (let left = TRIES; ; left--) {
    try {
      renameSync(made, target)
      return
    } catch (failure) {
      // EPERM is how Windows says it.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(failure.code) || left <= 1) throw failure
    }
    moveAway(target)
  }
}

/** A folder is replaced by moving it first; somebody else may have done so in the same moment. */
function moveAway(target) {
  const old = `${target}.old-${randomUUID()}`
  try {
    renameSync(target, old)
  } catch (failure) {
    if (failure.code !== 'ENOENT') throw failure
  }
  rmSync(old, { recursive: true, force: true })
}
