/** The kill switch, as engaged at run time. */
/** The row is there while the stop is pulled; what came before stands in the events. */
export interface EmergencyStopTable {
  name: string
  pulled_at: number
  pulled_by: string
  reason: string
  /** Null when an instance of an earlier version engaged it. */
  stop_id: string | null
}

/** One row per stop that was released. */
export interface EmergencyStopReleaseTable {
  stop_id: string
  released_at: number
}

/** One row: what the rules file said when it was last read, so that a change is noticed. */
export interface RulesFileStopTable {
  name: string
  engaged: number
  changed_at: number
}

export interface GuardrailsTables {
  emergency_stop: EmergencyStopTable
  emergency_stop_release: EmergencyStopReleaseTable
  rules_file_stop: RulesFileStopTable
}
