/** In the order they are applied. A released migration is never edited; the next one mends it. */
import type { Ddl } from '../migrate.ts'
import { foundation } from './0001_foundation.ts'
import { skus } from './0002_skus.ts'
import { locations } from './0003_locations.ts'
import { approvals } from './0004_approvals.ts'
import { checkout } from './0005_checkout.ts'
import { replenishment } from './0006_replenishment.ts'
import { slotTraces } from './0007_slot_traces.ts'
import { pendingOrders } from './0008_pending_orders.ts'
import { callersAndLatePrices } from './0009_callers_and_late_prices.ts'
import { eventsSessions } from './0010_events_sessions.ts'
import { salesHistory } from './0011_sales_history.ts'
import { approvedTotal } from './0012_approved_total.ts'
import { deniedAttempts } from './0013_denied_attempts.ts'
import { codedTexts } from './0014_coded_texts.ts'
import { vendorMemory } from './0015_vendor_memory.ts'
import { machinePlatforms } from './0016_machine_platforms.ts'
import { currency } from './0017_currency.ts'
import { emergencyStopReleases } from './0018_emergency_stop_releases.ts'
import { outbox } from './0019_outbox.ts'
import { people } from './0021_people.ts'
import { hashChain } from './0022_hash_chain.ts'
import { machinePlaces } from './0023_machine_places.ts'
import { spending } from './0024_spending.ts'
import { services } from './0025_services.ts'
import { shelfLife } from './0026_shelf_life.ts'
import { slotSettings } from './0028_slot_settings.ts'
import { machineCalendars } from './0029_machine_calendars.ts'
import { phaseOutsAndSwaps } from './0030_phase_outs_and_swaps.ts'
import { decisionEvidence } from './0031_decision_evidence.ts'
import { budgetsAndOldRows } from './0032_budgets_and_old_rows.ts'
import { serviceBookings } from './0033_service_bookings.ts'
import { swapHistory } from './0034_swap_history.ts'
import { channelPauses } from './0036_channel_pauses.ts'
import { slotCountTimes } from './0037_slot_count_times.ts'
import { serviceWrite } from './0039_service_write.ts'
import { databaseId } from './0040_database_id.ts'
import { reportedStock } from './0042_reported_stock.ts'
import { slotPriceTimes } from './0043_slot_price_times.ts'
import { created } from './0044_created.ts'
import { slotBookings } from './0047_slot_bookings.ts'
import { appliedPrices } from './0048_applied_prices.ts'
import { runLinePlan } from './0052_run_line_plan.ts'

export const MIGRATIONS: Readonly<Record<string, (ddl: Ddl) => readonly string[]>> = {
  '0001_foundation': foundation,
  '0002_skus': skus,
  '0003_locations': locations,
  '0004_approvals': approvals,
  '0005_checkout': checkout,
  '0006_replenishment': replenishment,
  '0007_slot_traces': slotTraces,
  '0008_pending_orders': pendingOrders,
  '0009_callers_and_late_prices': callersAndLatePrices,
  '0010_events_sessions': eventsSessions,
  '0011_sales_history': salesHistory,
  '0012_approved_total': approvedTotal,
  '0013_denied_attempts': deniedAttempts,
  '0014_coded_texts': codedTexts,
  '0015_vendor_memory': vendorMemory,
  '0016_machine_platforms': machinePlatforms,
  '0017_currency': currency,
  '0018_emergency_stop_releases': emergencyStopReleases,
  '0019_outbox': outbox,
  '0021_people': people,
  '0022_hash_chain': hashChain,
  '0023_machine_places': machinePlaces,
  '0024_spending': spending,
  '0025_services': services,
  '0026_shelf_life': shelfLife,
  '0028_slot_settings': slotSettings,
  '0029_machine_calendars': machineCalendars,
  '0030_phase_outs_and_swaps': phaseOutsAndSwaps,
  '0031_decision_evidence': decisionEvidence,
  '0032_budgets_and_old_rows': budgetsAndOldRows,
  '0033_service_bookings': serviceBookings,
  '0034_swap_history': swapHistory,
  '0036_channel_pauses': channelPauses,
  '0037_slot_count_times': slotCountTimes,
  '0039_service_write': serviceWrite,
  '0040_database_id': databaseId,
  '0042_reported_stock': reportedStock,
  '0043_slot_price_times': slotPriceTimes,
  '0044_created': created,
  '0047_slot_bookings': slotBookings,
  '0048_applied_prices': appliedPrices,
  '0052_run_line_plan': runLinePlan,
}
