/** One good request per operation that needs one: shown in the reference, and checked against the shapes by a test. */
import type { Body, OperationId, Params, Query } from '../contract/handlers.ts'
import { type CurrencyCode, money } from '../kernel/currency.ts'

type Example<K extends OperationId> = {
  readonly params?: Params<K>
  readonly query?: Query<K>
  readonly body?: Body<K>
}

const PO = { id: 'po_20260910_1' }
const RUN = { id: 'run-1789000000000' }
const DECISION = { id: 'dec-1789000000000-1' }
const DELIVERY = { id: '3f0a6f6e-5c0e-4a9e-9b5b-2f4b8a1f7c11' }
const MACHINE = { id: 'M001' }
const WATER = 'acme-supply:1001'
const WATER_IN_MACHINE = 'acme-machine:77'
const DEPOT = { namespace: 'depot-supply' }
const LIST = { catalog: { columns: { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price' } } }

export type Examples = { readonly [K in OperationId]?: Example<K> }

/** The examples in the currency of a deployment. */
export const examplesIn = (currency: CurrencyCode): Examples => ({
  searchCatalog: { body: { query: 'water', filters: { namespace: 'acme-supply' }, pagination: { limit: 20 } } },
  listPlatformLocations: { params: { namespace: 'acme-machine' } },
  listPacks: { params: { namespace: 'acme-supply' } },
  statePack: { params: { namespace: 'acme-supply' }, body: { text: 'CS', contains: 24, sku_ids: [WATER] } },
  getConnection: { params: DEPOT },
  addConnection: { body: { ...DEPOT, adapter: 'price-list', settings: LIST } },
  changeConnection: { params: DEPOT, body: { settings: LIST } },
  removeConnection: { params: DEPOT },
  testConnection: { params: DEPOT },
  listFiles: { params: DEPOT },
  uploadFile: {
    params: DEPOT,
    query: { dry_run: 'true' },
    body: { kind: 'price_list', file: { name: 'list.csv', bytes: new Uint8Array() } },
  },
  putSelections: {
    params: { namespace: 'route-machine', ...MACHINE },
    body: { selections: [{ selection: 'A1', product: { sku: 'depot-1001', title: 'Water 0.5 l' }, capacity: 12 }] },
  },
  decideFile: { params: { ...DEPOT, id: 'file-1c0ffee' }, body: { use: true } },
  tryConnection: { body: { ...DEPOT, adapter: 'price-list', settings: LIST } },
  lookupCatalog: { body: { ids: [WATER, WATER_IN_MACHINE], filters: { location: MACHINE.id } } },
  getProduct: { body: { id: WATER } },
  getSku: { params: { sku_id: WATER_IN_MACHINE }, query: { location: MACHINE.id } },
  resolveSkus: { body: { ids: [WATER_IN_MACHINE], to_namespace: 'acme-supply' } },
  setShelfLife: { params: { sku_id: WATER_IN_MACHINE }, body: { shelf_days: 90 } },
  confirmAliases: { params: { sku_id: WATER_IN_MACHINE }, body: { aliases: [{ sku_id: WATER, source: 'manual' }] } },
  searchLocations: { body: { filters: { items: [{ id: WATER_IN_MACHINE }] } } },
  lookupLocations: { body: { ids: [MACHINE.id] } },
  syncLocations: { body: { sales_window_days: 30 } },
  putLocation: {
    params: MACHINE,
    body: { name: 'Lobby', profile: { city: 'Shenzhen', placement: 'indoor', venueType: 'office', floor: '1' } },
  },
  deleteLocation: { params: MACHINE },
  setPhaseOut: { params: { sku_id: WATER_IN_MACHINE }, body: { phase_out: true, location: MACHINE.id } },
  getCalendar: { params: MACHINE },
  getHolidays: {},
  putHoliday: { params: { date: '2026-10-01' }, body: { closed: [MACHINE.id] } },
  putCalendar: {
    params: MACHINE,
    body: {
      entries: [
        { from: '2026-10-01', to: '2026-10-07', kind: 'closed', note: 'National Day' },
        { from: '2026-11-17', to: '2026-11-20', kind: 'demand', factor: 2.5, note: 'exhibition' },
      ],
    },
  },
  updateSlot: { params: { ...MACHINE, slot_id: 'M001-77' }, body: { locked: true } },
  createCheckout: {
    body: {
      line_items: [{ item: { id: WATER }, quantity: 2, quantity_unit: { unit: 'BX' } }],
      fulfillment: {
        methods: [
          {
            type: 'shipping',
            line_item_ids: ['*'],
            destinations: [{ street_address: '1 Example Road', first_name: 'Li', phone_number: '+8613800000000' }],
          },
        ],
      },
    },
  },
  listWebhooks: { query: { state: 'dead', limit: 20 } },
  redeliverWebhook: { params: DELIVERY },
  listCheckouts: { query: { status: 'ready_for_complete', limit: 20 } },
  getCheckout: { params: PO },
  updateCheckout: {
    params: PO,
    body: { line_items: [{ id: 'li_1', item: { id: WATER }, quantity: 3, quantity_unit: { unit: 'BX' } }] },
  },
  completeCheckout: {
    params: PO,
    body: {
      confirm: true,
      payment: { instruments: [{ id: 'pi_on_account', handler_id: 'supplier_account', type: 'on_account' }] },
    },
  },
  cancelCheckout: { params: PO },
  recordOutcome: { params: PO, body: { placed: true, label: 'SO-4711' } },
  getOrder: { params: PO },
  listOrders: { query: { kind: 'sale', location: MACHINE.id, from: '2026-09-01T00:00:00+08:00', limit: 100 } },
  getCash: { query: { location: MACHINE.id } },
  listDailySales: { query: { location: MACHINE.id, from: '2026-09-01', to: '2026-09-30' } },
  changePrices: {
    params: MACHINE,
    body: {
      prices: [{ item: { id: WATER_IN_MACHINE }, price: money(450, currency) }],
      confirm: true,
    },
  },
  startExperiment: { body: { item: { id: WATER_IN_MACHINE }, change: 50, confirm: true } },
  endExperiment: { params: { id: 'trial-4f6b' }, body: { keep: false, confirm: true } },
  listRuns: { query: { status: 'placed' } },
  getRun: { params: RUN },
  placeRun: { params: RUN },
  cancelRun: { params: RUN },
  receiveRun: { params: RUN, body: { delivered: [{ slot_id: 'M001-77', quantity: 12 }], note: 'two cans dented' } },
  getPickList: { params: RUN, query: { refresh: true } },
  receiveStop: {
    params: { ...RUN, location: MACHINE.id },
    body: {
      delivered: [{ slot_id: 'M001-77', quantity: 12 }],
      removed: [{ slot_id: 'M001-77', quantity: 2, reason: 'expired' }],
      counted: [{ slot_id: 'M001-77', stock: 5, when: 'arrival' }],
    },
  },
  getStoreroom: { query: { in_stock: true } },
  countStoreroom: {
    params: { sku_id: 'acme-supply:SP1001' },
    body: { units: 18, reason: 'count', best_before: '2027-03-31', expected_units: 20 },
  },
  listStoreroomMovements: { query: { sku_id: 'acme-supply:SP1001' } },
  receiveOrder: {
    params: { id: 'po_20260910_1' },
    body: { delivered: [{ item: { id: 'acme-supply:SP1001' }, quantity: 24 }] },
  },
  serviceMachine: {
    params: MACHINE,
    body: { removed: [{ slot_id: 'M001-77', quantity: 2, reason: 'expired' }], note: 'best before 1 September' },
  },
  reportMachine: { params: MACHINE, body: { fault: 'The coin mechanism jams' } },
  listReports: { params: MACHINE },
  fixFault: { params: { ...MACHINE, report_id: 'rep-1' } },
  undoService: { params: { ...MACHINE, service_id: 'svc-1789000000000' } },
  getScore: { query: { horizon_days: 7 } },
  getLocationHistory: { params: MACHINE, query: { days: 30 } },
  createRun: { body: { area: '上海' } },
  getLayout: { query: { location: MACHINE.id } },
  acceptLayout: {
    body: { location: MACHINE.id, lanes: [{ lane: '12', item: { id: WATER_IN_MACHINE } }], confirm: true },
  },
  endLaneChange: { params: { id: MACHINE.id }, body: { lane: '12', status: 'done' } },
  getEarn: { query: { location: MACHINE.id } },
  getSwaps: { query: { location: MACHINE.id } },
  endSwap: { params: { slot_id: 'M001-77' }, body: { status: 'done' } },
  acceptSwap: { body: { slot_id: 'M001-77', item: { id: WATER_IN_MACHINE }, confirm: true } },
  getTrips: { query: { days: 7, area: '上海' } },
  recommendRestock: {
    params: MACHINE,
    body: {
      reference: 'batch-20260910',
      line_items: [{ item: { id: WATER_IN_MACHINE }, quantity: 12, reason: 'empty on Friday' }],
    },
  },
  listApprovals: { query: { status: 'pending' } },
  getApproval: { params: DECISION },
  resolveApproval: { params: DECISION, body: { approved: true } },
  askOwner: {
    body: {
      kind: 'note',
      summary: 'The water from Acme comes in boxes of 24 now. Which do you want?',
      reasoning: 'The article of 12 is no longer listed since 2026-09-08.',
      options: ['Boxes of 24', 'Another water'],
    },
  },
  getOperator: {},
  putOperator: { body: { autonomy: { restock: 'propose' }, wake_at: ['06:00'] } },
  startShift: {},
  listShifts: { query: { limit: 20 } },
  getShift: { params: { id: 'shift-1789000000000-1' } },
  getTranscript: { params: { id: 'shift-1789000000000-1' } },
  listNotes: {},
  getNote: { params: { name: 'suppliers' } },
  putNote: { params: { name: 'suppliers' }, body: { text: 'Acme delivers late on Fridays.' } },
  deleteNote: { params: { name: 'suppliers' } },
  remindMe: { body: { at: '2026-09-12T08:00:00+08:00', text: 'Ask whether the fridge at Lobby was repaired' } },
  listEvents: { query: { limit: 50, kind: 'checkout' } },
  appendEvent: {
    body: { kind: 'note', summary: 'Coin box emptied', reasoning: 'Weekly round', location: MACHINE.id },
  },
  changeSettings: { body: { time_zone: 'Asia/Shanghai', stop_cost: 1500 } },
  changeRules: { body: { rules: { spendingLimitPerDay: 200_000, autonomy: { restock: 'propose' } } } },
  releaseEmergencyStop: { body: { word: 'release', reason: 'The price list was corrected' } },
  pullEmergencyStop: { body: { reason: 'A purchase nobody asked for' } },
  signIn: { body: { token: 'the operator token' } },
  startPasskey: { body: { purpose: 'sign_in' } },
  addPasskey: {
    body: {
      name: 'Phone of Wang',
      credential_id: 'c2FtcGxl',
      client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
      attestation: 'o2NmbXRkbm9uZQ',
    },
  },
  removePasskey: { params: { id: 'passkey-01' } },
  becomeFirstOwner: { body: { code: 'vo_…', name: 'Wang' } },
  signOut: { body: { everywhere: true } },
  addPerson: { body: { name: 'Wang', role: 'driver', expires_at: '2026-12-31T00:00:00+08:00' } },
  revokePerson: { params: { id: 'person-01' } },
})

/** For all deployments: in the contract's default currency. */
export const EXAMPLES: Examples = examplesIn('CNY')
