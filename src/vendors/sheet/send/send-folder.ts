/**
 * Orders as files in a folder, from which the supplier or an upload program takes them. The rename of a complete file is
 * the order: a program that watches the folder never sees half of one.
 */
import { existsSync, renameSync } from 'node:fs'
import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '../../../lib/files.ts'
import type { SendPermit } from '../../contract.ts'
import { failDenied, fail } from '../../result.ts'
import {
  type OutgoingDocument,
  type SendOutcome,
  type Transport,
  NO_PERMIT,
  refusedOutcome,
  STOPPED,
  unsentOutcome,
  unknownOutcome,
} from './transport.ts'

export function folderTransport(folder: string, extension: string): Transport {
  /** Its own for every attempt: a late process cannot rename the file of a later one. */
  const temporaryPath = (ref: string, attempt: number) => join(folder, `${ref}.${attempt}.tmp`)
  const orderPath = (ref: string) => join(folder, `${ref}.${extension}`)

  async function rename(
    { order: { ref }, attempt }: OutgoingDocument,
    begin: () => Promise<boolean>,
    permit: SendPermit,
  ): Promise<SendOutcome> {
    const [temporary, target] = [temporaryPath(ref, attempt), orderPath(ref)]
    // A rename would replace it.
    if (existsSync(target))
      return refusedOutcome(fail('rejected', `There is already a file for the order ${ref}`, { raw: 'EEXIST' }))
    if (!(await begin())) return STOPPED
    let isRenamed = false
    let isOver = false
    let problem: NodeJS.ErrnoException | undefined
    const write = () => {
      if (isOver) return
      isOver = true
      try {
        renameSync(temporary, target)
        isRenamed = true
      } catch (error) {
        problem = error as NodeJS.ErrnoException
      }
    }
    try {
      const denial = await permit(write)
      if (denial && !isRenamed && !problem) return unsentOutcome(failDenied(denial))
    } catch {
      if (!isRenamed && !problem) return NO_PERMIT
    } finally {
      isOver = true
    }
    if (isRenamed) return { kind: 'sent' }
    // Over a network a rename may be reported as failed and have happened.
    if (!existsSync(temporary))
      return unknownOutcome('It is not certain whether the order was written', problem?.code ?? 'rename')
    return unsentOutcome(
      fail('unsent', 'The order could not be written into the folder', { raw: problem?.code ?? 'rename' }),
    )
  }

  return {
    async send(outgoing, begin, permit) {
      const temporary = temporaryPath(outgoing.order.ref, outgoing.attempt)
      try {
        await writeDurably(temporary, outgoing.document, 'w')
        await syncFolder(folder)
      } catch (error) {
        await remove(temporary)
        const raw = (error as NodeJS.ErrnoException).code ?? 'write failed'
        return unsentOutcome(fail('unsent', 'The folder for orders cannot be written to', { raw }))
      }
      const outcome = await rename(outgoing, begin, permit)
      if (outcome.kind === 'unsent') await remove(temporary)
      if (outcome.kind !== 'sent') return outcome
      return (await isSynced(folder))
        ? outcome
        : unknownOutcome('It is not certain whether the order was written', 'fsync')
    },

    /** The temporary file is complete before an attempt begins to send, so it shows whether the rename has happened. */
    async settle({ ref, attempt }) {
      // A missing folder shows nothing: this throws, and the check is repeated later.
      await access(folder)
      if (existsSync(orderPath(ref))) return (await isSynced(folder)) ? 'sent' : 'unknown'
      // Without its file, the attempt cannot rename any more, should its process still run.
      if (await removeExisting(temporaryPath(ref, attempt))) return (await isSynced(folder)) ? 'unsent' : 'unknown'
      // Renamed and already collected, or cleaned up by somebody.
      return 'unknown'
    },

    discard: ({ ref, attempt }) => remove(temporaryPath(ref, attempt)),
    close: async () => {},
  }
}

const isSynced = (folder: string): Promise<boolean> =>
  syncFolder(folder).then(
    () => true,
    () => false,
  )

/** A temporary file that stays is harmless: suppliers do not collect it. */
const remove = (path: string): Promise<void> => rm(path, { force: true }).catch(() => {})

/** Whether it was there and is gone now, by us. */
async function removeExisting(path: string): Promise<boolean> {
  try {
    await rm(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
