/** Machines on a plain canvas, coloured by their stock, with a list of the same and links to the phone's navigation. */
import type { Location } from '../../../contract/shapes/location.ts'
import { nowMs } from '../../lib/text/format.ts'
import { type Health, presence } from './health.ts'
import { type Position, navigationLink, placeLabels, projectMachines } from './map-projection.ts'
import { textsOf, words } from '../../lib/text/i18n.ts'
import { href, query } from '../../lib/router.ts'
import type { Tone } from '../../lib/text/tone.ts'
import { isNarrow, isTableNarrow } from '../../lib/viewport.ts'
import { MAP } from '../../locales/map.ts'
import '../../styles/operator.css'
import { Badge } from '../../ui/value.tsx'
import { Empty } from '../../ui/loaded.tsx'
import { QueryChoice } from '../../ui/table/query-filters.tsx'

/** About as wide as it is drawn, so that names stay readable. */
const sizeOf = () =>
  isNarrow.value
    ? { width: 340, height: 340, margin: 34 }
    : isTableNarrow.value
      ? { width: 520, height: 360, margin: 44 }
      : { width: 900, height: 460, margin: 56 }

type MapState = 'empty' | 'low' | 'ok' | 'silent'
const TONES: Readonly<Record<MapState, Tone>> = { empty: 'bad', low: 'warn', ok: 'ok', silent: 'calm' }
const STATES: readonly MapState[] = ['empty', 'low', 'silent', 'ok']

interface Placed {
  readonly location: Location
  readonly geo: Position
  readonly state: MapState
}

interface Props {
  readonly locations: readonly Location[]
  readonly health: (id: string) => Health
}

export function MachineMap({ locations, health }: Props) {
  const t = textsOf(MAP)
  const stateOf = (location: Location): MapState => {
    const { empty, low } = health(location.id)
    const status = presence(location, nowMs())
    if (status !== 'online' && status !== 'unknown') return 'silent'
    return empty > 0 ? 'empty' : low > 0 ? 'low' : 'ok'
  }
  const all = locations
    .flatMap((location): Placed[] => (location.geo ? [{ location, geo: location.geo, state: stateOf(location) }] : []))
    .toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))
  const areas = [...new Set(all.map(({ location }) => areaOf(location)))].filter((area) => area !== '').toSorted()
  const area = areas.includes(query('area')) ? query('area') : ''
  const placed = area === '' ? all : all.filter(({ location }) => areaOf(location) === area)
  const missing = locations.filter(({ geo }) => !geo)
  return (
    <>
      {placed.length === 0 ? (
        <Empty icon="machines" title={t.none}>
          <p>{t.noneText}</p>
        </Empty>
      ) : (
        <div class="card map">
          {areas.length > 1 ? (
            <div class="map-areas">
              <QueryChoice
                of="area"
                label={words().area}
                value={area}
                tabs={[
                  { name: '', text: t.everywhere, count: all.length },
                  ...areas.map((name) => ({
                    name,
                    text: name,
                    count: all.filter(({ location }) => areaOf(location) === name).length,
                  })),
                ]}
              />
            </div>
          ) : null}
          <MapCanvas placed={placed} />
          <p class="map-legend">
            {STATES.map((state) => (
              <span key={state}>
                <i class={`map-dot ${TONES[state]}`} aria-hidden="true" /> {t.states[state]}
              </span>
            ))}
          </p>
          <ul class="rows">
            {placed.map(({ location: { id, name }, geo, state }) => (
              <li key={id}>
                <span>
                  <a class="underlined" href={href.machine(id)}>
                    {name}
                  </a>{' '}
                  <Badge tone={TONES[state]}>{t.states[state]}</Badge>
                </span>
                <a href={navigationLink(geo, name)} aria-label={t.navigateTo(name)}>
                  {t.navigate}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      {missing.length === 0 ? null : (
        <details class="card">
          <summary>{t.missing(missing.length)}</summary>
          <ul class="rows">
            {missing.map(({ id, name }) => (
              <li key={id}>
                <a href={href.machine(id)}>{name}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** Machines of one area are visited together. */
const areaOf = ({ area, profile }: Location): string => area ?? profile?.city ?? ''

function MapCanvas({ placed }: { readonly placed: readonly Placed[] }) {
  const t = textsOf(MAP)
  const size = sizeOf()
  const { points, scale } = projectMachines(
    placed.map(({ geo }) => geo),
    size,
  )
  const labels = placeLabels(
    points,
    placed.map(({ location }) => location.name),
    size,
  )
  // Below the machines, where no name is placed.
  const bottom = size.height + 8
  return (
    <svg
      class="map-canvas"
      viewBox={`0 0 ${size.width} ${size.height + 20}`}
      role="group"
      aria-label={t.label(placed.length)}
    >
      {/* For the pointer. The worst is drawn last, on top of machines beside it. */}
      {placed
        .map(({ location: { id, name }, state }, i) => {
          const { x, y } = points[i]!
          const label = labels[i]
          return (
            <a
              key={id}
              href={href.machine(id)}
              tabindex={-1}
              aria-hidden="true"
              class={`map-machine ${TONES[state]}`}
              // What is hidden from screen readers must not get the focus, not by a press either.
              onMouseDown={(event) => event.preventDefault()}
            >
              <title>{`${name}: ${t.states[state]}`}</title>
              {/* Large enough for a finger. */}
              <circle cx={x} cy={y} r="18" class="map-area" />
              <circle cx={x} cy={y} r="8" />
              {label ? (
                <text x={label.x} y={label.y} text-anchor={label.anchor}>
                  {name}
                </text>
              ) : null}
            </a>
          )
        })
        .toReversed()}
      {/* For the keyboard and screen readers, the worst first. */}
      {placed.map(({ location: { id, name }, state }, i) => (
        <a key={id} href={href.machine(id)} aria-label={`${name}: ${t.states[state]}`} class="map-focus">
          <circle cx={points[i]!.x} cy={points[i]!.y} r="15" />
        </a>
      ))}
      <g class="map-scale" aria-hidden="true">
        <path d={`M14 ${bottom - 6}V${bottom}H${14 + scale.length}V${bottom - 6}`} />
        <text x={20} y={bottom - 6}>
          {t.scale(scale.metres)}
        </text>
      </g>
    </svg>
  )
}
