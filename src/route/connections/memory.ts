/** The durable memory of one connection. Of several writers of an entry, over all instances, one wins. */
import type { Namespace } from '../../kernel/ids.ts'
import type { Store } from '../../store/store.ts'
import type { VendorMemory } from '../../vendors/memory.ts'
import { type MemoryRow, findMemory, insertMemory, listMemory, updateMemory } from './records.ts'

export const vendorMemory = ({ db }: Pick<Store, 'db'>, namespace: Namespace): VendorMemory => ({
  async get(key) {
    const row = await findMemory(db, namespace, key)
    return row && fromRow(row)
  },
  async list(prefix) {
    const rows = await listMemory(db, namespace, prefix)
    return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map((row) => ({ key: row.key, ...fromRow(row) }))
  },
  async put(key, value, version) {
    const row = { key, value: JSON.stringify(value) ?? 'null', version: version + 1 }
    const isWritten = version === 0 ? await insertMemory(db, namespace, row) : await updateMemory(db, namespace, row)
    return isWritten ? row.version : undefined
  },
})

const fromRow = ({ value, version }: MemoryRow) => ({ value: JSON.parse(value) as unknown, version })
