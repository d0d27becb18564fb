/** Texts of what an operator states: products to phase out, settings of slots, calendars, swaps. */
import { plural } from '../lib/plural.ts'

export const operatorEn = {
  shelfLife: {
    title: 'Shelf life',
    note: 'Days a unit may stay in a machine. The plan orders no more than is likely to sell in that time.',
    label: 'Days in a machine',
    none: 'No limit',
    days: (n: string) => `${plural(n, 'day')} in a machine`,
    saved: 'Shelf life saved',
  },
  phaseOut: {
    title: 'Ordering',
    ordered: 'Ordered where it is needed.',
    route: 'Phasing out: nothing more is ordered; what is in the machines sells off.',
    machines: (n: number) => `Phasing out in ${plural(n, 'machine')}.`,
    stop: 'Phase out',
    resume: 'Order again',
    stopTitle: 'Phase out this product?',
    resumeTitle: 'Order this product again?',
    stopText: (product: string) =>
      `Nothing more of ${product} will be ordered for any machine. What is in the machines sells off, and the plan shows it as phasing out.`,
    resumeText: (product: string) => `The plan will order ${product} again where it is needed.`,
    stopped: 'Phasing out',
    resumed: 'Ordered again',
  },
  place: {
    areaHint: 'Machines of one area are visited on the same trips. Empty: the city.',
    geo: 'Coordinates',
    geoHint: 'Latitude and longitude, for the order of stops.',
    geoInvalid: 'Enter latitude and longitude, such as 31.2304, 121.4737',
  },
  slots: {
    title: 'Capacity, par and position',
    note: 'What you state comes before what the platform says. Visits fill to the par level.',
    noPositions: 'State row and column of the slots to see the machine as it is laid out.',
    edit: 'Edit all slots',
    paste: 'Paste or upload a table',
    pasteHint:
      'The first line names the columns: slot, capacity, par, row, column. An empty cell leaves a value as it is, - removes it.',
    file: 'Choose a CSV file',
    members: { capacity: 'Capacity', par: 'Par', row: 'Row', column: 'Column' },
    saveMany: (n: number) => `Save ${plural(n, 'slot')}`,
    saved: (n: number) => `${plural(n, 'slot')} saved`,
    wrong: 'Capacity and par are whole numbers; row and column go together.',
    line: (line: number, problem: string, value: string) =>
      `Line ${line}: ${problem}${value === '' ? '' : ` (${value})`}`,
    problems: {
      no_slot: 'no slot is named',
      unknown_slot: 'this machine has no such slot',
      twice: 'the slot is named twice',
      capacity: 'the capacity is not a whole number from 1',
      par: 'the par level is not a whole number',
      position: 'row and column are incomplete',
      nothing: 'no row states anything',
    },
  },
  calendar: {
    title: 'Calendar',
    note: 'Closed days sell nothing and are left out of the sales history. Events multiply the usual demand.',
    none: 'No closed days and no events.',
    closed: 'Closed',
    demand: 'Event',
    kind: 'Kind',
    from: 'From',
    to: 'To (optional)',
    factor: 'Demand, times the usual',
    factorInvalid: 'Enter a number such as 2.5',
    remove: 'Remove',
    saved: 'Calendar saved',
  },
  swaps: {
    note: 'Products that would earn more here, from what the route sells in similar venues. The owner decides.',
    none: 'No swap would pay.',
    insteadOf: 'instead of',
    gain: (amount: string) => `about ${amount} more margin a week`,
    evidence: (units: number, machines: number) => `${units} sold in ${plural(machines, 'machine')}`,
    accept: 'Request approval',
    accepted: 'Approval requested',
    routeNote:
      'Products that would earn more in a slot, from what the route sells in similar venues. The owner decides.',
    made: 'It was changed',
    cancel: 'Cancel the swap',
    ended: 'Saved',
    states: {
      pending: 'Waiting for the owner',
      approved: 'Change it on the next visit',
      rejected: 'Rejected',
      done: 'Done',
      canceled: 'Canceled',
    },
  },
}

export type OperatorTexts = typeof operatorEn
