/**
 * Limits of the contract, and our own: everything that is sent, stored or returned is bounded. Each number is defined here
 * once.
 */

// Of the contract: docs/contract.md, 8.

/** Ids per batch of lookup and resolve; one more is `request_too_large`. */
export const BATCH_IDS_MAX = 50
/** Default page size. */
export const PAGE_DEFAULT = 20
export const ORDERS_DEFAULT = 100
/** Larger values are `invalid`: the contract states this maximum. */
export const ORDERS_MAX = 100
export const EVENTS_DEFAULT = 50
/** Events sent first to a new WebSocket client. */
export const EVENT_HISTORY = 50
/** Pages of a ledger in one reading, then `history_truncated`. */
export const LEDGER_PAGES_MAX = 20
export const SALES_WINDOW_DAYS_MIN = 21
export const SALES_WINDOW_DAYS_DEFAULT = 30
export const CHECKOUT_LIFETIME_MS = 24 * 60 * 60 * 1000
/** Days ahead for which pickup slots are offered. */
export const PICKUP_DAYS = 7
/** Longer reasons are truncated, not refused. */
export const RECOMMENDATION_REASON_MAX = 100
export const SCORE_HORIZON_DAYS_DEFAULT = 7

// Our own bounds on requests.

export const BODY_BYTES_MAX = 1024 * 1024
/** Levels of arrays and objects in a body. The deepest shape of the contract has fewer than ten. */
export const BODY_DEPTH_MAX = 64
/** Problems reported for one request. */
export const PROBLEMS_MAX = 20
/** Larger page sizes are silently reduced to this. */
export const PAGE_MAX = 100
/** Articles that one statement about a pack text names. */
export const PACK_ARTICLES_MAX = 100
export const EVENTS_MAX = 500
/** Slots of one page of the plan; larger values are reduced to this. */
export const PLAN_PAGE_MAX = 500
export const SALES_WINDOW_DAYS_MAX = 365
export const SCORE_HORIZON_DAYS_MAX = 90
export const IDEMPOTENCY_KEY_MAX = 255
export const REQUEST_ID_MAX = 128
export const AGENT_MAX = 1024
export const CURSOR_MAX = 512
export const TOKEN_MAX = 512
/** A sku_id: longer than any real one, short enough for a database index. */
export const SKU_ID_MAX = 256
const LOCATION_ID_MAX = 64
export const SLOT_ID_MAX = LOCATION_ID_MAX + 1 + SKU_ID_MAX
/** Names, kinds, references and ids of callers. */
export const WORD_MAX = 128
export const QUERY_MAX = 200
/** One line of an address or a profile. */
/** Minor units. */
export const SETTING_COST_MAX = 1_000_000_000
export const LINE_MAX = 500
export const SUMMARY_MAX = 1000
export const REASONING_MAX = 8000

export const CATEGORIES_MAX = 50
export const AMENITIES_MAX = 50
export const FILTER_ITEMS_MAX = 50
export const ALIASES_MAX = 50
export const CHECKOUT_LINES_MAX = 200
export const METHODS_MAX = 10
export const DESTINATIONS_MAX = 20
export const GROUPS_MAX = 10
export const PRICE_LINES_MAX = 500
export const RECOMMENDATION_LINES_MAX = 500
export const DELIVERED_LINES_MAX = 10_000
/** Slots of one machine in one request. */
export const SERVICE_LINES_MAX = 1000
/** Longer than any product keeps. */
export const SHELF_DAYS_MAX = 3650
/** A photo of a machine, in bytes. Phones scale theirs down to this before they send it. */
export const PHOTO_BYTES_MAX = 300 * 1024
/** How long after it was booked a service can be undone. */
export const UNDO_MS = 10 * 60 * 1000
/** How long after a visit it may still be booked, and how far the clock of a caller may be ahead. */
export const OCCURRED_BEFORE_MS = 48 * 60 * 60 * 1000
export const OCCURRED_AHEAD_MS = 5 * 60 * 1000
/** Approvals that may be pending at the same time; a request that needs one more is refused. */
export const PENDING_DECISIONS_MAX = 200
/** Of them, those that one key opened. */
export const PENDING_DECISIONS_OF_KEY_MAX = 60
/** Questions to the owner that one key may have pending; they do not count towards the approvals above. */
export const PENDING_QUESTIONS_MAX = 20
/** An answer that a question offers. */
export const OPTION_MAX = 80
export const QUESTION_DAYS_DEFAULT = 7
export const QUESTION_DAYS_MAX = 90
/** Lines in the details of an approval. */
export const APPROVAL_LINES_MAX = 20
/** Lines of one approval read by itself. */
export const APPROVAL_ALL_LINES_MAX = 5000
/** Times the largest price this is still a safe integer: 10^6 × 10^9 < 2^53. */
export const QUANTITY_MAX = 1_000_000
/** A row of a machine, as it is labelled: `A`, `12`. */
export const SLOT_ROW_MAX = 8
export const SLOT_COLUMN_MAX = 200
export const PRICE_FEN_MAX = 1_000_000_000
/** Minor units in one bag. */
export const CASH_MAX = 1_000_000_000_000

// People and keys.

export const PERSON_NAME_MAX = 64
/** Of one member of what a browser answers about a passkey, in base64url. */
export const PASSKEY_BYTES_MAX = 8192
/** Of one person. */
export const PASSKEYS_MAX = 20
/** Keys that are not revoked. All of them are in memory, so that no request queries the database for one. */
export const PEOPLE_MAX = 1000
export const RATE_LIMIT_MAX = 1_000_000

// Notes and reminders.

export const NOTE_BYTES_MAX = 8192
export const NOTE_NAME_MAX = 64
/** Of one key. */
export const NOTES_MAX = 100
export const REMINDERS_MAX = 100
export const REMINDER_DAYS_MAX = 366

// Calendars.

export const CALENDAR_ENTRIES_MAX = 200
/** Machines that are closed on a holiday. */
export const CLOSED_MACHINES_MAX = 10_000
export const CALENDAR_RANGE_DAYS_MAX = 366
export const CALENDAR_FACTOR_MIN = 0.1
export const CALENDAR_FACTOR_MAX = 20

// Profit.

export const PROFIT_DAYS_DEFAULT = 7
export const PROFIT_DAYS_MAX = 366

// Trips.

/** Days of `GET /replenishment/trips`. */
export const TRIP_DAYS_DEFAULT = 7
export const TRIP_DAYS_MAX = 14
/** Machines that one request can choose for a run. */
export const RUN_LOCATIONS_MAX = 1000

/** Of the stock of a machine over time. */
export const HISTORY_DAYS_DEFAULT = 30
export const HISTORY_DAYS_MAX = 90
export const HISTORY_POINTS = 120

/** Entries of a list in the rules, and characters of one. */
export const RULE_ENTRIES_MAX = 1000
export const RULE_ENTRY_MAX = 256

// Uploads.

/** One file. */
export const UPLOAD_BYTES_MAX = 16 * 1024 * 1024
/** The form around it. */
export const UPLOAD_FORM_BYTES_MAX = UPLOAD_BYTES_MAX + 64 * 1024

export const SELECTIONS_MAX = 500
export const BARCODE_MAX = 14

/** Of a machine: two spans a day. */
export const OPENING_HOURS_MAX = 14
