/** Texts of machines, their profile, slots and prices. */
import type { MachineProfile, SyncReport } from '../../../contract/shapes/location.ts'
import { plural } from '../../lib/plural.ts'

export const machinesEn = {
  doubt: {
    holds: (n: number, capacity: number) => `Really ${n}? The slot holds ${capacity}.`,
    highest: (n: number, most: number) => `Really ${n}? At most ${most} ${most === 1 ? 'was' : 'were'} ever there.`,
    unusual: (n: number) => `Really ${n}?`,
    title: 'Is this count right?',
    yes: 'Yes, it is right',
    yesSave: (n: number) => `Yes, save ${n}`,
  },
  machines: {
    lead: 'All machines, their stock and last update.',
    search: 'Search machines',
    none: 'No machines yet',
    noneText: 'Add the first one with the ID used by your machine platform.',
    noMatch: 'No machines match',
    stockText: (slots: number, low: number, empty: number) =>
      low + empty === 0
        ? `${plural(slots, 'slot')}, all stocked`
        : low === 0
          ? `${empty} of ${slots} empty`
          : empty === 0
            ? `${low} of ${slots} low`
            : `${empty} empty, ${low} low, of ${slots}`,
    toOrder: 'Units to order',
  },
  sync: {
    now: 'Sync now',
    busy: 'Syncing…',
    done: 'Sync complete',
    report: (report: SyncReport) =>
      `${plural(report.locations, 'machine')}, ${plural(report.slots, 'slot')}, ${plural(report.products, 'product')}, ${plural(report.sales, 'sale')}.`,
  },
  machineForm: {
    edit: 'Edit machine',
    id: 'Machine ID',
    idHint: 'The ID used by your machine platform.',
    idInvalid: 'Use letters, digits, dots, dashes and underscores, at most 64 characters.',
    name: 'Name',
    fields: {
      city: 'City',
      address: 'Address',
      floor: 'Floor',
      spot: 'Position',
      notes: 'Notes',
      time_zone: 'Time zone',
      placement: 'Placement',
      venueType: 'Venue type',
    } satisfies Record<keyof MachineProfile, string>,
    platform: 'Machine platform',
    timeZoneHint: 'Such as Asia/Shanghai. Leave blank to use the platform’s time zone.',
    notSet: 'Not set',
    saved: (name: string) => `${name} saved`,
  },
  machine: {
    edit: 'Edit',
    unknown: (id: string) => `Machine ${id} not found`,
    missing: (fields: string) => `Missing: ${fields}`,
    slots: 'Slots',
    slotsNote:
      'Tap a price or stock level to change it. Low: sold out within 24 hours. Locked slots are skipped when restocking.',
    slotsNoteOfDriver: 'Low: sold out within 24 hours. Locked slots are skipped when restocking.',
    low: 'Low',
    lockedOnly: 'Locked',
    noSlots: 'No data from this machine yet',
    locked: 'Locked',
    stockUnknown: 'Stock unknown',
    counted: (when: string) => `counted ${when}`,
    received: (when: string) => `received ${when}`,
    butReported: (booked: string, stock: number) => `${booked}; the machine says ${stock}`,
    countOf: (stock: string, title: string) => `${stock} in stock: count ${title}`,
    countTitle: 'Count a slot',
    countLabel: 'Units in the slot now',
    countHint: 'Where the platform reports no stock, sales and deliveries are counted from here on.',
    countInvalid: 'Enter a whole number.',
    countedToast: (title: string, n: number) => `${title}: ${n} counted`,
    lanes: (text: string) => `Lanes: ${text}`,
    lane: (code: string, stock: string) => `${code} ${stock}`,
    stockOf: (stock: number, capacity: number) => `${stock} / ${capacity}`,
    stockOnly: (stock: number) => `${stock}`,
    unlinked: 'No supplier',
    priceOf: (price: string, title: string) => `${price}: change the price of ${title}`,
    lock: 'Lock',
    unlock: 'Unlock',
    lockOf: (title: string) => `Lock ${title}`,
    unlockOf: (title: string) => `Unlock ${title}`,
    lockedToast: (title: string) => `${title} locked`,
    unlockedToast: (title: string) => `${title} unlocked`,
    about: 'About this machine',
    platformName: 'Platform name',
    lastSeen: 'Last seen by the platform',
    problems: 'Problems',
    remove: 'Remove from the route',
    removeText: 'Its profile, slots and history will be deleted. Activity and sales are kept.',
    removedToast: (name: string) => `${name} removed`,
    typeId: (id: string) => `Type the machine ID (${id}) to confirm`,
  },
  price: {
    title: 'Change price',
    current: 'Current price',
    allowed: 'Allowed without approval',
    range: (low: string, high: string) => `${low}–${high}`,
    next: 'New price',
    difference: (text: string) => `Change: ${text}`,
    stopped: 'Price changes are blocked until the emergency stop is released on the server.',
    submit: 'Change price now',
    busy: 'Updating the machine…',
    review: 'Review the request',
    changed: (title: string, price: string) => `${title} now costs ${price}`,
  },
}
