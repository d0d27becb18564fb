/**
 * Group commit: several transactions share one commit on one connection. A commit costs a disk flush, and flushing the
 * pages of several transactions takes as long as flushing those of one. Transactions that wait when one ends, or arrive in
 * the same turn of the event loop, run inside it as savepoints. A member's success is reported only after the shared commit
 * is on disk. A member can fail alone, and its failure is also reported after the commit: it may have failed because of what
 * an earlier member wrote, and must find that when it reads again.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { WriteQueue } from './write-queue.ts'

/** Bounds how many transactions a single statement waits for. */
const GROUP_MAX = 16

interface Group {
  members: number
  /** Whether the group has already waited one turn of the event loop for another transaction. */
  hasWaited: boolean
  readonly onDisk: PromiseWithResolvers<void>
}

export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #queue: WriteQueue
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #savepoint: StatementSync
  readonly #release: StatementSync
  readonly #undo: StatementSync
  #group: Group | undefined

  constructor(database: DatabaseSync, queue: WriteQueue) {
    this.#database = database
    this.#queue = queue
    // `immediate` takes the write lock at once: a transaction never fails half-way because another process wrote.
    this.#begin = database.prepare('begin immediate')
    this.#commit = database.prepare('commit')
    this.#savepoint = database.prepare('savepoint member')
    this.#release = database.prepare('release member')
    this.#undo = database.prepare('rollback to member')
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#queue.acquire('transaction')
    const group = this.#group ?? this.#beginGroup()
    const isFirst = group.members === 0
    let value: T
    try {
      if (!isFirst) this.#savepoint.run()
      value = await work()
      if (!isFirst) this.#release.run()
    } catch (failure) {
      this.#rollBack(group, isFirst, failure)
      if (!isFirst) await group.onDisk.promise.catch(() => {})
      throw failure
    }
    group.members++
    this.#continueOrCommit(group)
    await group.onDisk.promise
    return value
  }

  #beginGroup(): Group {
    try {
      this.#begin.run()
    } catch (failure) {
      this.#queue.release()
      throw failure
    }
    return (this.#group = { members: 0, hasWaited: false, onDisk: Promise.withResolvers<void>() })
  }

  /** Undoes only this member, unless the database has already rolled back everything. */
  #rollBack(group: Group, isFirst: boolean, failure: unknown): void {
    if (!this.#database.isTransaction) return this.#endGroup(() => group.onDisk.reject(failure))
    if (isFirst) return this.#endGroup(() => this.#database.exec('rollback'))
    this.#undo.run()
    this.#release.run()
    this.#continueOrCommit(group)
  }

  #continueOrCommit(group: Group): void {
    if (group.members < GROUP_MAX) {
      if (this.#queue.passToTransaction()) return
      if (!group.hasWaited) {
        group.hasWaited = true
        setImmediate(() => this.#continueOrCommit(group))
        return
      }
    }
    this.#endGroup(() => {
      try {
        this.#commit.run()
        group.onDisk.resolve()
      } catch (failure) {
        group.onDisk.reject(failure)
        if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('rollback')
      }
    })
  }

  #endGroup(finish: () => void): void {
    this.#group = undefined
    try {
      finish()
    } finally {
      this.#queue.release()
    }
  }
}
