/** The kill switch, as engaged at run time. */
/** The row is there while the stop is pulled; what came before stands in the events. */
export interface EmergencyStopTable {
  name: string
  pulled_at: number
  pulled_by: string
  reason: string
}

export interface GuardrailsTables {
  emergency_stop: EmergencyStopTable
}
