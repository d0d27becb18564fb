/** The store room: goods that are neither at a supplier nor in a machine. */
export { type Movement, findAverageCosts, listMovements } from './records.ts'
