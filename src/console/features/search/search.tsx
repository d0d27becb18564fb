/** Search across everything: a combobox whose list shows what was found, by kind. */
import { runName } from '../runs/run-text.ts'
import { useEffect, useId, useState } from 'preact/hooks'
import { client } from '../../lib/service/api.ts'
import { type Findable, type SearchResult, findResults } from './find-results.ts'
import { money, shortTime, totalOf } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { placeText } from '../machines/machine-profile.ts'
import { useMachineGoods, useNamespaces } from '../../lib/service/queries.ts'
import { approvalText } from '../../lib/text/service-text.ts'
import { type Resource, useResource } from '../../lib/service/resource.ts'
import { href, navigate } from '../../lib/router.ts'
import { SEARCH } from '../../locales/search.ts'
import { offeredEntries } from './navigation-entries.ts'
import '../../styles/operator.css'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'

const TYPING_MS = 200
const RECENT = 100
const FOUND = 8

/** Answers with nothing where the role may not read it: the other results are shown all the same. */
const useList = (
  key: string,
  needs: Parameters<typeof may>[0],
  load: (signal: AbortSignal) => Promise<readonly Findable[]>,
): Resource<readonly Findable[]> =>
  useResource(`search ${key}`, (signal) => (may(needs) ? load(signal) : Promise.resolve([])))

const useRuns = () =>
  useList('runs', 'listRuns', async (signal) =>
    (await client.listRuns({ query: { limit: RECENT }, signal })).runs.map((run) => ({
      group: 'runs',
      text: runName(run),
      note: `${run.id} · ${texts().runStatus[run.status]}`,
      words: run.line_items.map(({ item }) => item.title).join(' '),
      href: href.run(run.id),
    })),
  )

const useSessions = () =>
  useList('sessions', 'listCheckouts', async (signal) =>
    (await client.listCheckouts({ query: { limit: RECENT }, signal })).checkouts
      // What was ordered is among the orders.
      .filter(({ status }) => status !== 'completed')
      .map((session) => ({
        group: 'sessions',
        text: session.line_items[0]?.item.title ?? session.id,
        note: `${money(totalOf(session.totals), session.currency)} · ${session.id}`,
        words: session.line_items.map(({ item }) => `${item.title} ${item.id}`).join(' '),
        href: href.purchase(session.id),
      })),
  )

const useOrders = (kind: 'sale' | 'purchase') =>
  useList(`orders ${kind}`, 'listOrders', async (signal) =>
    (await client.listOrders({ query: { kind, limit: RECENT }, signal })).orders.map((order) => ({
      group: 'orders',
      text: order.label ?? order.id,
      note: `${order.line_items[0]?.item.title ?? ''} · ${money(totalOf(order.totals), order.currency)}`,
      words: `${order.id} ${order.line_items.map(({ item }) => item.title).join(' ')}`,
      href: href.order(order.id),
    })),
  )

/** Those that wait and the latest decided ones, by what they are about: kind, product, machine, supplier, rule. */
const useApprovals = () =>
  useList('approvals', 'listApprovals', async (signal) =>
    (await client.listApprovals({ query: { status: 'all', limit: RECENT, details: true }, signal })).approvals.map(
      (approval) => {
        const { id, kind, subject, status, at, details, by } = approval
        const { summary, reasons } = approvalText(approval)
        const lines =
          details?.lines.map((line) => `${line.title} ${line.location_name ?? ''} ${line.location ?? ''}`) ?? []
        return {
          group: 'approvals',
          text: summary,
          note: `${texts().approvalStatus[status]} · ${shortTime(at)}`,
          words: [
            id,
            kind,
            subject.type,
            subject.id,
            ...reasons,
            details?.supplier,
            details?.location,
            details?.location_name,
            by?.name,
            ...lines,
          ].join(' '),
          href: href.approval(id),
        }
      },
    ),
  )

const useVendors = () =>
  useList('connections', 'listConnections', async (signal) =>
    (await client.listConnections({ signal })).connections.map(({ namespace, role, state }) => ({
      group: 'connections',
      text: namespace,
      note: `${texts().connections.roles[role]} · ${texts().connections.states[state]}`,
      href: '/connections',
    })),
  )

const usePeople = () =>
  useList('people', 'listPeople', async (signal) =>
    (await client.listPeople({ signal })).people.map(({ name, role }) => ({
      group: 'people',
      text: name,
      note: texts().roles[role],
      href: '/people',
    })),
  )

/** What was typed, when typing has paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const useMachines = (settled: string) =>
  useList(`machines ${settled}`, 'searchLocations', async (signal) => {
    if (settled === '') return []
    const body = { query: settled, pagination: { limit: FOUND } }
    return (await client.searchLocations({ body, signal })).locations.map(({ id, name, profile = {} }) => ({
      group: 'machines',
      text: name,
      note: id,
      // The service decided that it matches.
      words: `${placeText(profile)} ${settled}`,
      href: href.machine(id),
    }))
  })

/** Products of the supplier; all those in machines are there. */
function useSupplierProducts(settled: string) {
  const namespace = useNamespaces().data?.defaults.supply
  return useList(`products ${namespace ?? ''} ${settled}`, 'getSku', async (signal) => {
    if (settled === '' || namespace === undefined) return []
    const body = { query: settled, filters: { namespace }, pagination: { limit: FOUND } }
    return (await client.searchCatalog({ body, signal })).products.map(({ id, title }) => ({
      group: 'products',
      text: title,
      note: id,
      // The supplier decided that it matches.
      words: settled,
      href: href.sku(id),
    }))
  })
}

function useFindables(text: string) {
  const settled = useSettled(text)
  const goods = useMachineGoods().data ?? []
  const lists = [
    useApprovals(),
    useRuns(),
    useOrders('sale'),
    useOrders('purchase'),
    useSessions(),
    useVendors(),
    usePeople(),
    useMachines(settled),
    useSupplierProducts(settled),
  ]
  const t = texts()
  const pages = offeredEntries().map(({ name, path }): Findable => ({
    group: 'pages',
    text: t.pages[name],
    words: name,
    href: path,
  }))
  const products = !may('getSku')
    ? []
    : goods.map(({ sku_id: id, title }): Findable => ({
        group: 'products',
        text: title,
        note: id,
        href: href.sku(id),
      }))
  return {
    all: [...pages, ...products, ...lists.flatMap(({ data }) => data ?? [])],
    busy: lists.some(({ data, error }) => data === undefined && error === undefined),
  }
}

export function Search({ onClose }: { readonly onClose: () => void }) {
  const t = textsOf(SEARCH)
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { all, busy } = useFindables(text)
  const results = findResults(text, all)
  const active = Math.min(at, results.length - 1)
  useEffect(() => document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' }), [active])
  const open = (result: SearchResult | undefined) => {
    if (!result) return
    onClose()
    navigate(result.href)
  }
  const move = (by: number) => setAt((active + by + results.length) % Math.max(1, results.length))
  const groups = Map.groupBy(
    results.map((result, index) => ({ result, index })),
    ({ result }) => result.group,
  )
  return (
    <Dialog title={words().search} onClose={onClose}>
      <div class="stack search">
        <span class="line search-field input">
          <Icon name="search" />
          <input
            autofocus
            type="text"
            role="combobox"
            aria-label={words().search}
            aria-expanded={results.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={results.length > 0 ? `${id}-${active}` : undefined}
            autocomplete="off"
            spellcheck={false}
            placeholder={t.placeholder}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              setAt(0)
            }}
            onKeyDown={(event) => {
              if (event.isComposing) return
              if (event.key === 'ArrowDown') move(1)
              else if (event.key === 'ArrowUp') move(-1)
              else if (event.key === 'Enter') open(results[active])
              else return
              event.preventDefault()
            }}
          />
        </span>
        <div id={`${id}-list`} role="listbox" aria-label={t.results} class="search-list">
          {[...groups].map(([group, members]) => (
            <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
              <p id={`${id}-${group}`} class="search-group" role="presentation">
                {t.groups[group]}
              </p>
              {members.map(({ result, index }) => (
                <div
                  key={`${result.href} ${result.text}`}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  class="search-option"
                  onMouseMove={() => setAt(index)}
                  onClick={() => open(result)}
                >
                  <span>{result.text}</span>
                  {result.note ? <span class="faint">{result.note}</span> : null}
                </div>
              ))}
            </div>
          ))}
        </div>
        <p class="faint search-state" role="status">
          {results.length > 0 ? t.found(results.length) : busy ? t.searching : t.none(text)}
        </p>
        <p class="faint search-hint">{t.hint}</p>
      </div>
    </Dialog>
  )
}
