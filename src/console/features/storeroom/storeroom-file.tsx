/** Counts of the store room from a file or from pasted cells: shown beside what the book has, then saved. */
import { useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import { count } from '../../lib/text/format.ts'
import { textsOf, words } from '../../lib/text/i18n.ts'
import { useNamespaces } from '../../lib/service/queries.ts'
import { collect, useResource } from '../../lib/service/resource.ts'
import { STOREROOM } from '../../locales/storeroom.ts'
import { type CountedProduct, readStoreroomFile } from '../setup/counts-file.ts'
import { CountsInput, NotUnderstood } from '../setup/counts-file-form.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { type StoreroomRow, liveSuppliers, unitsThere } from './storeroom.ts'

const PAGE = 100
const PRODUCTS_MAX = 20_000

/** What suppliers list, and what lies there although none lists it any more. */
function useCountable(book: readonly StoreroomRow[] | undefined) {
  const suppliers = liveSuppliers(useNamespaces().data?.namespaces)
  const listed = useResource(`countable ${suppliers.join(' ')}`, async (signal) => {
    const lists = await Promise.all(
      suppliers.map((namespace) =>
        collect(
          client.all.searchCatalog({ body: { filters: { namespace }, pagination: { limit: PAGE } }, signal }),
          PRODUCTS_MAX,
        ),
      ),
    )
    return lists.flat().map(({ id, title, variants: [variant] }): CountedProduct => ({
      id,
      title,
      barcode: variant?.barcodes?.[0]?.value,
    }))
  })
  const known = new Set(listed.data?.map(({ id }) => id))
  const others = (book ?? []).flatMap(({ item }) => (known.has(item.id) ? [] : [{ id: item.id, title: item.title }]))
  return { ...listed, suppliers, data: listed.data && book && [...listed.data, ...others] }
}

interface Props {
  /** Undefined while it is read. */
  readonly book: readonly StoreroomRow[] | undefined
  readonly onCounted: () => Promise<unknown>
}

export function StoreroomFile({ book, onCounted }: Props) {
  const t = textsOf(STOREROOM).file
  const { data: products, error, suppliers } = useCountable(book)
  const [read, setRead] = useState<ReturnType<typeof readStoreroomFile>>()
  /** Saved in this file. */
  const [saved, setSaved] = useState<ReadonlySet<string>>(new Set())
  const [changed, setChanged] = useState(0)
  const inBook = new Map(book?.map(({ item, units }) => [item.id, units]))
  const titles = new Map(products?.map(({ id, title }) => [id, title]))
  const rows = [...(read?.counts ?? [])].flatMap(([id, units]) =>
    saved.has(id) ? [] : [{ id, title: titles.get(id) ?? id, units, expected: inBook.get(id) ?? 0 }],
  )
  const save = useAction(async () => {
    const done = new Set(saved)
    let others = 0
    try {
      for (const { id, units, expected } of rows)
        try {
          await client.countStoreroom({
            params: { sku_id: id },
            body: { units, reason: 'count', expected_units: expected },
          })
          done.add(id)
        } catch (failure) {
          if (!(failure instanceof VendopsError) || unitsThere(failure) === undefined) throw failure
          others += 1
        }
    } finally {
      setSaved(done)
      setChanged(others)
      await onCounted()
    }
    if (done.size > saved.size) toast(t.saved(done.size - saved.size))
  })
  return (
    <Section title={textsOf(STOREROOM).views.file} note={t.hint}>
      <div class="stack">
        {error === undefined ? null : <Failure error={error} />}
        <CountsInput
          isReady={products !== undefined}
          namespace={suppliers[0] ?? ''}
          example={t.example}
          fill={t.fill}
          onText={(text) => {
            setSaved(new Set())
            setChanged(0)
            setRead(text === undefined ? undefined : readStoreroomFile(text, products ?? []))
          }}
        />
        <div role="status" class="stack">
          {read?.missing.map((column) => (
            <p key={column} class="field-wrong">
              {t.missing[column]}
            </p>
          ))}
          {read && read.missing.length === 0 && saved.size === 0 ? <p>{t.understood(read.counts.size)}</p> : null}
          {changed > 0 ? <p class="field-wrong">{t.changed(changed)}</p> : null}
          <NotUnderstood problems={(read?.problems ?? []).map((row) => ({ ...row, text: t.problems[row.problem] }))} />
        </div>
        {rows.length === 0 ? null : (
          <>
            <DataTable
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: words().product,
                  cell: ({ id, title }) => (
                    <>
                      {title} <span class="faint mono one-line">{id}</span>
                    </>
                  ),
                },
                { title: t.book, isNumber: true, cell: ({ expected }) => count(expected) },
                { title: t.counted, isNumber: true, cell: ({ units }) => <strong>{count(units)}</strong> },
                { title: t.difference, isNumber: true, cell: ({ units, expected }) => signed(units - expected) },
              ]}
            />
            {save.error === undefined ? null : <Failure error={save.error} />}
            <div class="line">
              <Button needs="countStoreroom" kind="primary" busy={save.busy} onClick={() => void save.run()}>
                {t.save(rows.length)}
              </Button>
            </div>
          </>
        )}
      </div>
    </Section>
  )
}

const signed = (n: number): string => (n > 0 ? `+${count(n)}` : n < 0 ? `−${count(-n)}` : '0')
