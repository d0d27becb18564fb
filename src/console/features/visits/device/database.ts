/** What this browser keeps of visits: IndexedDB, with a promise for each step. */

/** `press`: what was pressed and has to reach the service. `draft`: a visit being entered. `day`: visits as last read. */
export type StoreName = 'press' | 'draft' | 'day'

const NAME = 'vendops-visits'
const VERSION = 1
const STORES: readonly StoreName[] = ['press', 'draft', 'day']

const requestResult = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('the device store failed')))
  })

let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION)
    request.addEventListener('upgradeneeded', () => {
      for (const store of STORES)
        if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store, { keyPath: 'id' })
    })
    request.addEventListener('success', () => {
      // Another tab with a newer version must not wait for this one.
      request.result.addEventListener('versionchange', () => {
        request.result.close()
        opened = undefined
      })
      resolve(request.result)
    })
    request.addEventListener('error', () => {
      opened = undefined
      reject(request.error ?? new Error('the device store cannot be opened'))
    })
  })
  return opened
}

/** Resolves when the change is on the device, not when it was requested. */
async function write(store: StoreName, change: (objects: IDBObjectStore) => void): Promise<void> {
  const transaction = (await open()).transaction(store, 'readwrite', { durability: 'strict' })
  change(transaction.objectStore(store))
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(transaction.error ?? new Error('nothing could be kept on this device'))
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('error', fail)
    transaction.addEventListener('abort', fail)
  })
}

const read = async (store: StoreName): Promise<IDBObjectStore> =>
  (await open()).transaction(store, 'readonly').objectStore(store)

export const putRecord = (store: StoreName, record: { readonly id: string }): Promise<void> =>
  write(store, (objects) => void objects.put(record))

export const deleteRecord = (store: StoreName, id: string): Promise<void> =>
  write(store, (objects) => void objects.delete(id))

/** Reads and replaces in one transaction, so that two tabs cannot both win. `change` returns undefined to leave it as it is. */
export async function updateRecord<T extends { readonly id: string }>(
  store: StoreName,
  id: string,
  change: (record: T) => T | 'delete' | undefined,
): Promise<T | undefined> {
  let changed: T | undefined
  await write(store, (objects) => {
    const asked = objects.get(id)
    asked.addEventListener('success', () => {
      const before = asked.result as T | undefined
      const after = before && change(before)
      if (after === 'delete') objects.delete(id)
      else if (after !== undefined) objects.put(after)
      changed = after === 'delete' ? before : after
    })
  })
  return changed
}

export const getRecord = async <T>(store: StoreName, id: string): Promise<T | undefined> =>
  (await requestResult((await read(store)).get(id))) as T | undefined

export const readAllRecords = async <T>(store: StoreName): Promise<readonly T[]> =>
  (await requestResult((await read(store)).getAll())) as T[]

/** Deletes the records that `choose` returns; without it, all. */
export async function clearRecords<T extends { readonly id: string }>(
  store: StoreName,
  choose?: (records: readonly T[]) => readonly T[],
): Promise<void> {
  if (!choose) return write(store, (objects) => void objects.clear())
  const dropped = choose(await readAllRecords<T>(store))
  return write(store, (objects) => {
    for (const { id } of dropped) objects.delete(id)
  })
}
