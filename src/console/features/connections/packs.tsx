/** Packs of a price list whose size somebody has to say: a field for each text, and one for each article. */
import { useState } from 'preact/hooks'
import type { Pack, PackList } from '../../../contract/shapes/connection.ts'
import { agreesWithEach, saysNoNumber } from '../../../kernel/pack.ts'
import { useAction } from '../../lib/service/action.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { toast } from '../../ui/toast.tsx'
import { Money } from '../../ui/value.tsx'

const SHOWN = 100

export function Packs({ namespace }: { readonly namespace: string }) {
  const t = texts().connections.packs
  const packs = useResource(
    `packs ${namespace}`,
    (signal) => client.listPacks({ params: { namespace }, query: { limit: SHOWN }, signal }),
    ['sync'],
    undefined,
    'listPacks',
  )
  return (
    <details open>
      <summary>{t.title}</summary>
      <Loaded resource={packs}>
        {(list) => <Questions namespace={namespace} list={list} reload={() => void packs.reload()} />}
      </Loaded>
    </details>
  )
}

interface QuestionsProps {
  readonly namespace: string
  readonly list: PackList
  readonly reload: () => void
}

function Questions({ namespace, list, reload }: QuestionsProps) {
  const t = texts().connections.packs
  const groups = [...Map.groupBy(list.packs, ({ text }) => text)]
  return (
    <div class="stack">
      <p class="note">{may('statePack') ? t.note : t.ownerSays}</p>
      {groups.map(([text, packs]) => (
        <div class="stack" key={text}>
          <h3>{text === '' ? t.noText : text}</h3>
          {whyOf(packs).map((reason) => (
            <p class="note" key={reason}>
              {t.why[reason]}
            </p>
          ))}
          {text === '' || !may('statePack') || (saysNoNumber(text) && packs.length === 1) ? null : (
            <SizeForm namespace={namespace} text={text} packs={packs} label={t.forText(text)} onSaved={reload} />
          )}
          <Articles namespace={namespace} text={text} packs={packs} onSaved={reload} />
        </div>
      ))}
      {list.waiting_count > list.packs.length ? (
        <p class="note">{t.more(list.waiting_count - list.packs.length)}</p>
      ) : null}
    </div>
  )
}

/** Why a pack is asked about whose text says its size. */
const whyOf = (packs: readonly Pack[]) => [
  ...new Set(packs.flatMap(({ reason }) => (reason === undefined || reason === 'unknown_size' ? [] : [reason]))),
]

interface ArticlesProps {
  readonly namespace: string
  readonly text: string
  readonly packs: readonly Pack[]
  readonly onSaved: () => void
}

function Articles({ namespace, text, packs, onSaved }: ArticlesProps) {
  const t = texts().connections.packs
  return (
    <details open={text === '' || saysNoNumber(text)}>
      <summary>{t.articles(packs.length)}</summary>
      <DataTable
        rows={packs}
        keyOf={({ sku_id: id = '' }) => id}
        columns={[
          { title: words().product, cell: ({ title, sku_id: id }) => title ?? id },
          {
            title: t.packPrice,
            cell: ({ pack_price: price }) => (price ? <Money amount={price.amount} currency={price.currency} /> : null),
            isNumber: true,
          },
          packs.some(({ each_price: price }) => price)
            ? {
                title: t.eachPrice,
                cell: ({ each_price: price }) =>
                  price ? <Money amount={price.amount} currency={price.currency} /> : null,
                isNumber: true,
              }
            : undefined,
          may('statePack')
            ? {
                title: t.contains,
                cell: (pack) =>
                  pack.sku_id === undefined ? null : (
                    <SizeForm
                      namespace={namespace}
                      text={text}
                      packs={[pack]}
                      isForArticle
                      label={t.forArticle(pack.title ?? '')}
                      onSaved={onSaved}
                    />
                  ),
              }
            : undefined,
        ]}
      />
    </details>
  )
}

interface SizeFormProps {
  readonly namespace: string
  readonly text: string
  /** Those that the answer is about. */
  readonly packs: readonly Pack[]
  readonly isForArticle?: boolean
  readonly label: string
  readonly onSaved: () => void
}

type Say = 'text' | 'same_for_all' | 'articles'

function SizeForm({ namespace, text, packs, isForArticle = false, label, onSaved }: SizeFormProps) {
  const t = texts().connections.packs
  const suggested = suggestedFor(packs)
  const [typed, setTyped] = useState(suggested === undefined ? '' : String(suggested))
  const [isDoubted, setDoubted] = useState(false)
  const items = /^[1-9]\d{0,5}$/.test(typed.trim()) ? Number(typed) : undefined
  const save = useAction(async (say: Say) => {
    if (items === undefined) return
    setDoubted(false)
    await client.statePack({
      params: { namespace },
      body: {
        text,
        contains: items,
        ...(say === 'articles' && { sku_ids: packs.flatMap(({ sku_id: id }) => id ?? []) }),
        ...(say === 'same_for_all' && { same_for_all: true }),
      },
    })
    setTyped('')
    toast(t.saved)
    onSaved()
  })
  const usual = isForArticle ? 'articles' : 'text'
  return (
    <form
      class="row bottom"
      onSubmit={(event) => {
        event.preventDefault()
        if (items === undefined) return
        if (packs.every((pack) => isContradicted(pack, items))) setDoubted(true)
        else void save.run(usual)
      }}
    >
      <Field
        label={label}
        hideLabel={isForArticle}
        inputMode="numeric"
        value={typed}
        {...(suggested !== undefined && { hint: t.fits(suggested) })}
        error={typed.trim() === '' || items !== undefined ? undefined : t.wholeNumber}
        onInput={(text) => {
          setTyped(text)
          setDoubted(false)
          save.clear()
        }}
      />
      <Button type="submit" busy={save.busy} disabled={items === undefined}>
        {words().save}
      </Button>
      {isDoubted && items !== undefined ? (
        <div class="stack" role="alert">
          <p class="note">{t.contradicts(suggested, items)}</p>
          <div class="line">
            <Button onClick={() => void save.run('articles')}>{t.allTheSame(items)}</Button>
          </div>
        </div>
      ) : save.error instanceof VendopsError && save.error.code === 'confirmation_required' ? (
        <div class="stack" role="alert">
          <p class="note">{t.noNumber(text)}</p>
          <div class="line">
            <Button onClick={() => void save.run('same_for_all')}>{t.sameForAll(text, Number(typed))}</Button>
          </div>
        </div>
      ) : save.error === undefined ? null : (
        <Failure error={save.error} compact />
      )}
    </form>
  )
}

/** Only where all of them say the same. */
function suggestedFor(packs: readonly Pack[]): number | undefined {
  const [suggested, ...others] = new Set(packs.map((pack) => pack.suggested))
  return others.length === 0 ? suggested : undefined
}

/** One item is never believed against the list: the service says so. */
const isContradicted = ({ pack_price: pack, each_price: each, reason }: Pack, items: number): boolean =>
  items > 1 &&
  reason !== 'price_jump' &&
  pack !== undefined &&
  each !== undefined &&
  !agreesWithEach(pack.amount, each.amount, items)
