/** Products in machines without a supplier: suggested links are confirmed, many at once. */
import { useState } from 'preact/hooks'
import type { Product, SkuRecord } from '../../../contract/shapes/catalog.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { may } from '../../lib/service/me.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { useMachineGoods, useNamespaces } from '../../lib/service/queries.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { LINKS } from '../../locales/links.ts'
import '../../styles/operator.css'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { Money } from '../../ui/value.tsx'
import { MoreButton } from '../../ui/table/more-button.tsx'
import { PageHeader } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

const PAGE = 20

interface Unlinked {
  readonly id: string
  readonly title: string
  readonly suggestion?: Product | undefined
}

const suggestedIn = ({ aliases = [] }: SkuRecord): string | undefined =>
  aliases.find(({ source }) => source === 'suggested')?.sku_id

/** With the supplier product that is suggested for each. */
async function withSuggestions(list: readonly Unlinked[], signal: AbortSignal): Promise<readonly Unlinked[]> {
  const records = await Promise.all(
    list.map(({ id }) => client.getSku({ params: { sku_id: id }, signal }).catch(() => undefined)),
  )
  const suggested = records.map((record) => record && suggestedIn(record))
  const ids = [...new Set(suggested.filter((id) => id !== undefined))]
  const products = ids.length === 0 ? [] : (await client.lookupCatalog({ body: { ids }, signal })).products
  const byId = new Map(products.map((product) => [product.id, product]))
  return list.map((one, i) => ({ ...one, suggestion: byId.get(suggested[i] ?? '') }))
}

export function Links() {
  const t = textsOf(LINKS)
  const namespaces = useNamespaces()
  return (
    <>
      <PageHeader title={texts().pages.links} back={{ href: '/catalog', text: texts().pages.catalog }} lead={t.lead} />
      {namespaces.data && namespaces.data.defaults.supply === undefined ? (
        <Empty icon="link" title={words().noSupplier}>
          <a href="/connections">{texts().pages.connections}</a>
        </Empty>
      ) : (
        <UnlinkedProducts />
      )}
    </>
  )
}

function UnlinkedProducts() {
  const t = textsOf(LINKS)
  const [shown, setShown] = useState(PAGE)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const goods = useMachineGoods()
  const unlinked: readonly Unlinked[] = (goods.data ?? [])
    .filter(({ linked }) => !linked)
    .map(({ sku_id: id, title }) => ({ id, title }))
  const page = unlinked.slice(0, shown)
  const rows = useResource(`links page ${page.map(({ id }) => id).join()}`, (signal): Promise<readonly Unlinked[]> =>
    withSuggestions(page, signal),
  )
  /** None is chosen by itself: a wrong link orders a wrong product. */
  const offered = (rows.data ?? []).filter(({ suggestion }) => suggestion)
  const chosen = offered.filter(({ id }) => picked.has(id))
  const confirm = useAction(async () => {
    const results = await Promise.allSettled(
      chosen.map(({ id, suggestion }) =>
        client.confirmAliases({
          params: { sku_id: id },
          body: { aliases: [{ sku_id: suggestion?.id ?? '', source: 'manual' }] },
        }),
      ),
    )
    const failures = results.filter(({ status }) => status === 'rejected')
    if (results.length > failures.length) toast(t.confirmed(results.length - failures.length))
    await goods.reload()
    const [first] = failures
    if (first?.status === 'rejected') throw first.reason
  })
  const toggle = (id: string, isChosen: boolean) => {
    const next = new Set(picked)
    if (isChosen) next.add(id)
    else next.delete(id)
    setPicked(next)
  }
  return (
    <Loaded resource={goods} lines={8} height={44}>
      {() =>
        unlinked.length === 0 ? (
          <Empty icon="check" title={t.none} />
        ) : (
          <div class="stack">
            <p class="note">
              {t.count(unlinked.length)} · {t.note}
            </p>
            <Loaded resource={rows} lines={8} height={44}>
              {(list) => (
                <DataTable
                  framed
                  class="links"
                  csv={texts().pages.links}
                  rows={list}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      title: t.product,
                      value: ({ id, title }) => `${title} ${id}`,
                      cell: ({ id, title, suggestion }) => (
                        <label class="link-choice">
                          {may('confirmAliases') ? (
                            <input
                              type="checkbox"
                              aria-label={t.choose(title)}
                              disabled={!suggestion || confirm.busy}
                              checked={picked.has(id)}
                              onChange={(event) => toggle(id, event.currentTarget.checked)}
                            />
                          ) : null}
                          <span>
                            <a href={href.sku(id)}>{title}</a>
                            <p class="faint mono">{id}</p>
                          </span>
                        </label>
                      ),
                    },
                    {
                      title: t.suggestion,
                      value: ({ suggestion }) => (suggestion ? `${suggestion.title} ${suggestion.id}` : ''),
                      cell: ({ id, suggestion }) =>
                        suggestion ? (
                          <>
                            <a href={href.sku(suggestion.id)}>{suggestion.title}</a>
                            <p class="faint">
                              <span class="mono">{suggestion.id}</span> · <Money {...suggestion.price_range.min} />
                            </p>
                          </>
                        ) : (
                          <>
                            <span class="faint">{t.noSuggestion} · </span>
                            <a href={href.sku(id)}>{t.find}</a>
                          </>
                        ),
                    },
                  ]}
                />
              )}
            </Loaded>
            {unlinked.length > shown ? <MoreButton busy={rows.busy} onClick={() => setShown(shown + PAGE)} /> : null}
            {confirm.error === undefined ? null : <Failure error={confirm.error} />}
            <div class="row sticky-foot">
              <label class="link-choice">
                <input
                  type="checkbox"
                  disabled={offered.length === 0 || confirm.busy}
                  checked={offered.length > 0 && chosen.length === offered.length}
                  onChange={(event) =>
                    setPicked(new Set(event.currentTarget.checked ? offered.map(({ id }) => id) : []))
                  }
                />
                {t.chooseAll(offered.length)}
              </label>
              <Button needs="confirmAliases" kind="primary" icon="link" action={confirm} disabled={chosen.length === 0}>
                {t.confirm(chosen.length)}
              </Button>
            </div>
          </div>
        )
      }
    </Loaded>
  )
}
