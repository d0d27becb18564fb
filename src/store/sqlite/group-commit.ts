/**
 * Transactions on one connection. What makes a commit expensive is the disk, and it takes the pages of several transactions
 * as fast as those of one: whoever waits when a transaction ends, or comes in the same turn of the event loop, goes on
 * inside it, and one commit ends them all. Nobody hears that it succeeded before that commit is on disk. Each can fail
 * alone, and hears so after that commit, too: it may have failed because of what an earlier member wrote, and must find
 * that when it reads again.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { WriteQueue } from './write-queue.ts'

/** Statements that wait for the connection wait for at most so many transactions. */
const GROUP_MAX = 16

interface Group {
  members: number
  /** Nobody waited when a member ended, so whoever comes in the same turn of the event loop is waited for, once. */
  waited: boolean
  readonly onDisk: PromiseWithResolvers<void>
}

export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #turns: WriteQueue
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #savepoint: StatementSync
  readonly #release: StatementSync
  readonly #undo: StatementSync
  #open: Group | undefined

  constructor(database: DatabaseSync, turns: WriteQueue) {
    this.#database = database
    this.#turns = turns
    // `immediate` takes the write lock at once: a transaction never fails half-way because another process wrote.
    this.#begin = database.prepare('begin immediate')
    this.#commit = database.prepare('commit')
    this.#savepoint = database.prepare('savepoint member')
    this.#release = database.prepare('release member')
    this.#undo = database.prepare('rollback to member')
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#turns.acquire('transaction')
    const group = this.#open ?? this.#opened()
    const alone = group.members === 0
    let value: T
    try {
      if (!alone) this.#savepoint.run()
      value = await work()
      if (!alone) this.#release.run()
    } catch (failure) {
      this.#takeBack(group, alone, failure)
      if (!alone) await group.onDisk.promise.catch(() => {})
      throw failure
    }
    group.members++
    this.#goOn(group)
    await group.onDisk.promise
    return value
  }

  #opened(): Group {
    try {
      this.#begin.run()
    } catch (failure) {
      this.#turns.release()
      throw failure
    }
    return (this.#open = { members: 0, waited: false, onDisk: Promise.withResolvers<void>() })
  }

  /** Only what this member did, unless the database has thrown away everything already. */
  #takeBack(group: Group, alone: boolean, failure: unknown): void {
    if (!this.#database.isTransaction) return this.#end(() => group.onDisk.reject(failure))
    if (alone) return this.#end(() => this.#database.exec('rollback'))
    this.#undo.run()
    this.#release.run()
    this.#goOn(group)
  }

  #goOn(group: Group): void {
    if (group.members < GROUP_MAX) {
      if (this.#turns.passToTransaction()) return
      if (!group.waited) {
        group.waited = true
        setImmediate(() => this.#goOn(group))
        return
      }
    }
    this.#end(() => {
      try {
        this.#commit.run()
        group.onDisk.resolve()
      } catch (failure) {
        group.onDisk.reject(failure)
        if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('rollback')
      }
    })
  }

  #end(how: () => void): void {
    this.#open = undefined
    try {
      how()
    } finally {
      this.#turns.release()
    }
  }
}
