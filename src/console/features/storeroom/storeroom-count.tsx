/** Records how many units of a product are in the store room, and why that is another number than the book's. */
import { useState } from 'preact/hooks'
import type { StoreroomCountRequest, StoreroomProduct, StoreroomReason } from '../../../contract/shapes/storeroom.ts'
import { useAction, useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { fullDay } from '../../lib/text/format.ts'
import { textsOf, words } from '../../lib/text/i18n.ts'
import { usePreview } from '../../lib/service/preview.ts'
import { useNamespaces } from '../../lib/service/queries.ts'
import { STOREROOM } from '../../locales/storeroom.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { liveSuppliers, unitsThere } from './storeroom.ts'
import { Field, Select } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'

type Counted = Pick<StoreroomProduct, 'item' | 'units' | 'reserved' | 'lots'>

interface Props {
  /** Undefined: it is found among the products of the suppliers first. */
  readonly product: Counted | undefined
  readonly onClose: () => void
  readonly onCounted: () => void
}

const REASONS: readonly StoreroomReason[] = ['count', 'damaged', 'expired', 'lost', 'returned', 'other']
const ONLY_FEWER: readonly StoreroomReason[] = ['damaged', 'expired', 'lost']
const NOTE_MAX = 1000

const isCount = (text: string): boolean => /^\d{1,6}$/.test(text)

export function StoreroomCount({ product: given, onClose, onCounted }: Props) {
  const t = textsOf(STOREROOM).count
  const [found, setFound] = useState<Counted>()
  const product = given ?? found
  /** What somebody else has made of it meanwhile. */
  const [now, setNow] = useState<number>()
  const book = now ?? product?.units ?? 0
  const [text, setText] = useState('')
  const [reason, setReason] = useState<StoreroomReason>('count')
  const [bestBefore, setBestBefore] = useState('')
  const [note, setNote] = useState('')
  const units = Number(text)
  const wrong =
    text === ''
      ? undefined
      : !isCount(text)
        ? t.invalid
        : units > book && ONLY_FEWER.includes(reason)
          ? t.onlyFewer
          : units < book && reason === 'returned'
            ? t.onlyMore
            : undefined
  const body: StoreroomCountRequest = {
    units,
    reason,
    expected_units: book,
    ...(bestBefore === '' ? {} : { best_before: bestBefore }),
    ...(note.trim() === '' ? {} : { note: note.trim() }),
  }
  const save = useWrite(async (idempotencyKey) => {
    if (!product) return
    try {
      await client.countStoreroom({ params: { sku_id: product.item.id }, body, idempotencyKey })
    } catch (failure) {
      const there = unitsThere(failure)
      if (there === undefined) throw failure
      setNow(there)
      return
    }
    toast(t.saved(product.item.title, units))
    onCounted()
    onClose()
  }, JSON.stringify(body))
  return (
    <ActionDialog
      title={t.title}
      action={save}
      submit={words().save}
      ready={product !== undefined && isCount(text) && wrong === undefined}
      onClose={onClose}
    >
      {product ? <Book product={product} units={book} /> : <FindProduct onFound={setFound} />}
      {product && now !== undefined ? (
        <Notice tone="warn" urgent title={t.changed(now, product.units)}>
          {t.changedText}
        </Notice>
      ) : null}
      {product ? (
        <>
          <Field
            label={t.units}
            name="units"
            inputMode="numeric"
            autocomplete="off"
            autofocus
            value={text}
            onInput={setText}
            error={wrong}
          />
          <Select
            label={words().reason}
            value={reason}
            onChange={(next) => setReason(next as StoreroomReason)}
            options={REASONS.map((name) => [name, t.reasons[name]])}
          />
          <Field
            label={t.bestBefore}
            name="best_before"
            type="date"
            value={bestBefore}
            onInput={setBestBefore}
            hint={t.bestBeforeHint}
          />
          <Field label={words().note} name="note" value={note} onInput={setNote} maxLength={NOTE_MAX} />
        </>
      ) : null}
    </ActionDialog>
  )
}

/** What the book has of it. */
function Book({ product, units }: { readonly product: Counted; readonly units: number }) {
  const t = textsOf(STOREROOM)
  const { item, reserved, lots } = product
  const dated = lots.filter(({ best_before: date }) => date !== null)
  return (
    <div>
      <p class="strong">{item.title}</p>
      <p class="faint">{[t.count.book(units), ...(reserved > 0 ? [t.count.reserved(reserved)] : [])].join(' · ')}</p>
      {dated.map(({ units: some, best_before: date }) => (
        <p key={date} class="faint">
          {t.count.lot(some, fullDay(date ?? ''))}
        </p>
      ))}
      <a href={`/storeroom?view=movements&sku=${encodeURIComponent(item.id)}`}>{t.count.movements}</a>
    </div>
  )
}

const FOUND_MAX = 8

/** Among the products of all suppliers. One that is in the book already is counted from what that has. */
function FindProduct({ onFound }: { readonly onFound: (product: Counted) => void }) {
  const t = textsOf(STOREROOM).count
  const [text, setText] = useState('')
  const suppliers = liveSuppliers(useNamespaces().data?.namespaces)
  const wanted = text.trim()
  const found = usePreview(wanted === '' || suppliers.length === 0 ? undefined : wanted, async (signal) => {
    const lists = await Promise.all(
      suppliers.map((namespace) =>
        client.searchCatalog({
          body: { query: wanted, filters: { namespace }, pagination: { limit: FOUND_MAX } },
          signal,
        }),
      ),
    )
    return lists.flatMap(({ products }) => products).slice(0, FOUND_MAX)
  })
  const choose = useAction(async ({ id, title }: Counted['item']) => {
    const { products } = await client.getStoreroom({ query: { query: id } })
    onFound(products.find(({ item }) => item.id === id) ?? { item: { id, title }, units: 0, reserved: 0, lots: [] })
  })
  const error = choose.error ?? found.error
  return (
    <>
      <Field label={t.find} name="find" autocomplete="off" autofocus value={text} onInput={setText} />
      {error === undefined ? null : <Failure error={error} compact />}
      {found.data && wanted !== '' ? (
        <ul class="rows" aria-live="polite">
          {found.data.length === 0 ? <li class="faint">{t.findNone}</li> : null}
          {found.data.map(({ id, title }) => (
            <li key={id}>
              <button type="button" class="choose-product" onClick={() => void choose.run({ id, title })}>
                {title} <span class="faint mono one-line">{id}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}
