/** Swaps as callers see them. */
import type { SwapList, SwapTrial as WireTrial, Swap as WireSwap } from '../../../contract/shapes/planning/swaps.ts'
import { DAY, rfc3339 } from '../../../kernel/clock.ts'
import { type Estimate, type Trial, isOpenTrial } from '../../trials/index.ts'
import type { Swap } from './choose.ts'
import { type SlotSwap, isOpenSwap } from './records.ts'
import type { RouteSwaps } from './propose.ts'
import type { SwapNames } from './texts.ts'

const round4 = (rate: number): number => Math.round(rate * 1e4) / 1e4

export function proposalView(
  { titles, machineName }: SwapNames,
  { location, slotId, out, in: better, weeklyGainFen, gainErrorFen, evidence }: Swap,
): WireSwap {
  const productView = ({ sku, rate, weeklyFen }: Swap['out']) => ({
    item: { id: sku, title: titles.get(sku) ?? sku },
    daily_rate: round4(rate),
    weekly_margin: weeklyFen,
  })
  return {
    location,
    ...nameView(machineName(location)),
    slot_id: slotId,
    out: productView(out),
    in: { ...productView(better), ...(better.newSku === undefined ? {} : { price: better.priceFen }) },
    weekly_gain: weeklyGainFen,
    gain_error: gainErrorFen,
    evidence: {
      ...(evidence.venueType === undefined ? {} : { venue_type: evidence.venueType }),
      machines: evidence.machines,
      units: evidence.units,
      days: Math.round(evidence.days * 100) / 100,
      ...(evidence.category === undefined ? {} : { category: evidence.category }),
    },
    status: 'proposed',
  }
}

/** How long a swap that was made is listed. */
const DONE_SHOWN_MS = 30 * DAY

export const acceptedViews = (route: Pick<RouteSwaps, 'accepted' | keyof SwapNames>, now: number): WireSwap[] =>
  route.accepted
    .filter((swap) => isOpenSwap(swap) || (swap.status === 'done' && now - swap.changedAt < DONE_SHOWN_MS))
    .map((swap) => acceptedView(route, swap))

const nameView = (name: string | undefined) => (name === undefined ? {} : { location_name: name })

export function acceptedView({ titles, machineName }: SwapNames, swap: SlotSwap): WireSwap {
  const { location, slotId, fromSku, toSku, toTitle, priceFen, status, decision, weeklyGainFen } = swap
  const itemOf = (id: string, name = id) => ({ item: { id, title: titles.get(id) ?? name } })
  return {
    location,
    ...nameView(machineName(location)),
    slot_id: slotId,
    out: itemOf(fromSku),
    in: { ...itemOf(toSku, toTitle), ...(priceFen === undefined ? {} : { price: priceFen }) },
    weekly_gain: weeklyGainFen,
    status,
    decision,
  }
}

const PAST_SHOWN = 100
const gainView = ({ mean, error }: Estimate) => ({ gain: Math.round(mean), error: Math.round(error) })

const trialView = (trial: Trial, timeZone: string): WireTrial => {
  const { members, replaced, measured, judged } = trial
  const treated = members.find(({ role }) => role === 'treated')
  return {
    id: trial.id,
    status: trial.status,
    ...(trial.reason === undefined ? {} : { reason: trial.reason }),
    location: treated?.location ?? '',
    ...nameView(treated?.locationName),
    slot_id: trial.slotId ?? '',
    out: { id: replaced?.sku ?? '', title: replaced?.title ?? '' },
    in: { id: trial.sku, title: trial.title },
    started_at: rfc3339(treated?.changedAt ?? trial.createdAt, timeZone),
    ...(trial.endedAt === undefined ? {} : { ended_at: rfc3339(trial.endedAt, timeZone) }),
    expected: gainView(trial.expected),
    ...(measured ? { measured: gainView(measured) } : {}),
    ...(judged ? { judged: gainView(judged) } : {}),
  }
}

/** The newest first, those that run before the others, and how good the proposals were. */
export function trialsView(trials: readonly Trial[], timeZone: string): Pick<SwapList, 'trials' | 'record'> {
  const open = trials.filter(isOpenTrial)
  const past = trials.filter((trial) => !isOpenTrial(trial))
  const judged = trials.filter(({ measured }) => measured !== undefined)
  const sum = (of: (trial: Trial) => number) => Math.round(judged.reduce((total, trial) => total + of(trial), 0))
  return {
    trials: [...open, ...past.slice(0, PAST_SHOWN)].map((trial) => trialView(trial, timeZone)),
    ...(judged.length === 0
      ? {}
      : {
          record: {
            judged: judged.length,
            kept: judged.filter(({ status }) => status === 'kept').length,
            expected: sum(({ expected }) => expected.mean),
            measured: sum(({ measured }) => measured?.mean ?? 0),
          },
        }),
  }
}
