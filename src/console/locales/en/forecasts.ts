/** Texts of the score of forecasts. */
import { plural } from '../../lib/plural.ts'

/** For numbers that are already formatted. */
const days = (n: string): string => (n === '1' ? '1 day' : `${n} days`)

export const forecastsEn = {
  forecasts: {
    lead: 'How accurate past forecasts were.',
    horizon: 'Days ahead',
    days: (n: number) => plural(n, 'day'),
    none: 'Nothing to score yet',
    noneCreated: 'Every run saves its forecasts. Create a run first.',
    pending: (n: number) => `${plural(n, 'forecast')} ${n === 1 ? 'is' : 'are'} too recent to score.`,
    wape: 'Error',
    wapeNote: (average: string) => `of units sold; simple average ${average}`,
    bias: 'Bias',
    tooHigh: 'Forecasts too high',
    tooLow: 'Forecasts too low',
    coverage: 'Within range',
    coverageNote: 'target 95%',
    scored: 'Scored',
    scoredNote: (pending: number, excluded: number) => `${pending} too recent, ${excluded} excluded`,
    worse: 'No better than a simple average',
    worseText: 'Repeating past sales would have been more accurate. Check the slots below.',
    byHorizon: 'Error by days ahead',
    byHorizonNote: 'Share of units sold; lower is better.',
    ours: 'Our forecast',
    average: 'Simple average',
    averageShort: 'Simple avg.',
    overTime: 'Latest forecasts by creation date',
    overTimeNote: 'Error and bias, as a share of units sold.',
    error: 'Error',
    byMachine: 'By machine',
    kind: 'Type',
    bySpeed: 'By type of slot',
    fast: 'Fast sellers',
    mid: 'Steady sellers',
    slow: 'Slow sellers',
    measured: 'Rate measured',
    inferred: 'Rate estimated',
    largestErrors: 'Largest errors',
    slot: 'Slot',
    mae: 'Units off',
    lastForecast: 'Last forecast',
    lastActual: 'Actually sold',
  },
}
