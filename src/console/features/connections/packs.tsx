/** Packs of a price list whose size somebody has to say: a field for each text, and one for each article. */
import { useState } from 'preact/hooks'
import type { Pack, PackList } from '../../../contract/shapes/connection.ts'
import { saysNoNumber } from '../../../kernel/pack.ts'
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
          {text === '' || !may('statePack') || (saysNoNumber(text) && packs.length === 1) ? null : (
            <SizeForm namespace={namespace} text={text} label={t.forText(text)} onSaved={reload} />
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
                cell: ({ sku_id: id, title = '' }) =>
                  id === undefined ? null : (
                    <SizeForm
                      namespace={namespace}
                      text={text}
                      skuId={id}
                      label={t.forArticle(title)}
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
  readonly skuId?: string
  readonly label: string
  readonly onSaved: () => void
}

function SizeForm({ namespace, text, skuId, label, onSaved }: SizeFormProps) {
  const t = texts().connections.packs
  const [typed, setTyped] = useState('')
  const save = useAction(async (isSame: boolean) => {
    await client.statePack({
      params: { namespace },
      body: {
        text,
        contains: Number(typed),
        ...(skuId !== undefined && { sku_ids: [skuId] }),
        ...(isSame && { same_for_all: true }),
      },
    })
    setTyped('')
    toast(t.saved)
    onSaved()
  })
  return (
    <form
      class="row bottom"
      onSubmit={(event) => {
        event.preventDefault()
        void save.run(false)
      }}
    >
      <Field
        label={label}
        hideLabel={skuId !== undefined}
        type="number"
        min="1"
        inputMode="numeric"
        value={typed}
        onInput={(text) => {
          setTyped(text)
          save.clear()
        }}
      />
      <Button type="submit" busy={save.busy} disabled={!/^[1-9]\d{0,5}$/.test(typed.trim())}>
        {words().save}
      </Button>
      {save.error instanceof VendopsError && save.error.code === 'confirmation_required' ? (
        <div class="stack" role="alert">
          <p class="note">{t.noNumber(text)}</p>
          <div class="line">
            <Button onClick={() => void save.run(true)}>{t.sameForAll(text, Number(typed))}</Button>
          </div>
        </div>
      ) : save.error === undefined ? null : (
        <Failure error={save.error} compact />
      )}
    </form>
  )
}
