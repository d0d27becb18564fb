// Several starts may build at once, while a service runs from the existing build. Each builds into its own folder, which
// is then renamed into place. The last one wins; all of them built the same sources.
import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'

const TRIES = 10

export async function buildIntoPlace(target, build) {
  const building = `${target}.building-${randomUUID()}`
  // With the default mode, as another user may run the service.
  mkdirSync(building, { recursive: true })
  try {
    await build(building)
    install(building, target)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
}

function install(built, target) {
  for (let left = TRIES; ; left--) {
    try {
      renameSync(built, target)
      return
    } catch (failure) {
      // Windows reports EPERM.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(failure.code) || left <= 1) throw failure
    }
    moveAway(target)
  }
}

/** A folder can only be replaced after moving it away; another build may do so at the same time. */
function moveAway(target) {
  const old = `${target}.old-${randomUUID()}`
  try {
    renameSync(target, old)
  } catch (failure) {
    if (failure.code !== 'ENOENT') throw failure
  }
  rmSync(old, { recursive: true, force: true })
}
