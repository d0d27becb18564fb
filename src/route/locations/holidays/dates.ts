/**
 * Public holidays that hold in a whole country, as rules of the calendar, so that no year has to be brought up to date.
 * What a government announces for a single year (bridging days, moved working days) is not known here. Pure.
 */
export interface Holiday {
  readonly date: string
  readonly names: Names
}

export interface Names {
  readonly en: string
  readonly zh: string
}

type Rule = (year: number) => Temporal.PlainDate
/** Where a holiday on a weekend is also kept on a working day. */
type Observed = (date: Temporal.PlainDate) => Temporal.PlainDate | undefined

const SATURDAY = 6
const SUNDAY = 7
const MONDAY = 1
const THURSDAY = 4

const on =
  (month: number, day: number): Rule =>
  (year) =>
    Temporal.PlainDate.from({ year, month, day })

/** `n`: 1 is the first of the month, −1 the last. */
const weekdayOf =
  (n: number, weekday: number, month: number): Rule =>
  (year) => {
    const first = Temporal.PlainDate.from({ year, month, day: 1 })
    if (n > 0) return first.add({ days: ((weekday - first.dayOfWeek + 7) % 7) + 7 * (n - 1) })
    const last = first.with({ day: first.daysInMonth })
    return last.subtract({ days: (last.dayOfWeek - weekday + 7) % 7 })
  }

/** Western Easter Sunday, by the anonymous Gregorian rule. */
function easterSunday(year: number): Temporal.PlainDate {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const epact =
    (19 * golden +
      century -
      Math.floor(century / 4) -
      Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3) +
      15) %
    30
  const dominical = (32 + 2 * (century % 4) + 2 * Math.floor((year % 100) / 4) - epact - (year % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * dominical) / 451)
  const sum = epact + dominical - 7 * late + 114
  return Temporal.PlainDate.from({ year, month: Math.floor(sum / 31), day: (sum % 31) + 1 })
}

const easter =
  (days: number): Rule =>
  (year) =>
    easterSunday(year).add({ days })

/** A day of the Chinese calendar, whose year begins in January or February. */
const lunar =
  (month: number, day: number, plus = 0): Rule =>
  (year) =>
    Temporal.PlainDate.from({ calendar: 'chinese', year, monthCode: `M${String(month).padStart(2, '0')}`, day })
      .withCalendar('iso8601')
      .add({ days: plus })

/** The sun at 15 degrees: 4 or 5 April in this century. */
const qingming: Rule = (year) => {
  const short = year % 100
  return Temporal.PlainDate.from({ year, month: 4, day: Math.floor(short * 0.2422 + 4.81) - Math.floor(short / 4) })
}

const nearestWorkday: Observed = (date) =>
  date.dayOfWeek === SATURDAY
    ? date.subtract({ days: 1 })
    : date.dayOfWeek === SUNDAY
      ? date.add({ days: 1 })
      : undefined

const nextMonday: Observed = (date) => (date.dayOfWeek >= SATURDAY ? date.add({ days: 8 - date.dayOfWeek }) : undefined)
/** Where the Monday is taken, too. */
const nextTuesday: Observed = (date) => (date.dayOfWeek >= SATURDAY ? date.add({ days: 2 }) : undefined)

type Row = readonly [rule: Rule, en: string, zh: string, observed?: Observed]

const NEW_YEAR: Row = [on(1, 1), 'New Year’s Day', '元旦']
const EPIPHANY: Row = [on(1, 6), 'Epiphany', '主显节']
const GOOD_FRIDAY: Row = [easter(-2), 'Good Friday', '耶稣受难日']
const EASTER_SUNDAY: Row = [easter(0), 'Easter Sunday', '复活节']
const EASTER_MONDAY: Row = [easter(1), 'Easter Monday', '复活节星期一']
const LABOUR_DAY: Row = [on(5, 1), 'Labour Day', '劳动节']
const ASCENSION: Row = [easter(39), 'Ascension Day', '耶稣升天节']
const WHIT_SUNDAY: Row = [easter(49), 'Whit Sunday', '圣灵降临节']
const WHIT_MONDAY: Row = [easter(50), 'Whit Monday', '圣灵降临节星期一']
const ASSUMPTION: Row = [on(8, 15), 'Assumption Day', '圣母升天节']
const ALL_SAINTS: Row = [on(11, 1), 'All Saints’ Day', '诸圣节']
const ARMISTICE: Row = [on(11, 11), 'Armistice Day', '停战纪念日']
const IMMACULATE: Row = [on(12, 8), 'Immaculate Conception', '圣母无染原罪节']
const CHRISTMAS: Row = [on(12, 25), 'Christmas Day', '圣诞节']
const SECOND_CHRISTMAS: Row = [on(12, 26), 'Second day of Christmas', '圣诞节次日']
const nationalDay = (month: number, day: number): Row => [on(month, day), 'National Day', '国庆节']

const withObserved = ([rule, en, zh]: Row, observed: Observed): Row => [rule, en, zh, observed]

const COUNTRIES: Readonly<Record<string, readonly Row[]>> = {
  AT: [
    NEW_YEAR,
    EPIPHANY,
    EASTER_MONDAY,
    LABOUR_DAY,
    ASCENSION,
    WHIT_MONDAY,
    [easter(60), 'Corpus Christi', '基督圣体节'],
    ASSUMPTION,
    nationalDay(10, 26),
    ALL_SAINTS,
    IMMACULATE,
    CHRISTMAS,
    SECOND_CHRISTMAS,
  ],
  BE: [
    NEW_YEAR,
    EASTER_MONDAY,
    LABOUR_DAY,
    ASCENSION,
    WHIT_MONDAY,
    nationalDay(7, 21),
    ASSUMPTION,
    ALL_SAINTS,
    ARMISTICE,
    CHRISTMAS,
  ],
  CN: [
    NEW_YEAR,
    [lunar(1, 1, -1), 'Lunar New Year’s Eve', '除夕'],
    ...[0, 1, 2].map((day): Row => [lunar(1, 1, day), 'Spring Festival', '春节']),
    [qingming, 'Qingming Festival', '清明节'],
    LABOUR_DAY,
    [on(5, 2), 'Labour Day', '劳动节'],
    [lunar(5, 5), 'Dragon Boat Festival', '端午节'],
    [lunar(8, 15), 'Mid-Autumn Festival', '中秋节'],
    ...[1, 2, 3].map((day): Row => nationalDay(10, day)),
  ],
  DE: [
    NEW_YEAR,
    GOOD_FRIDAY,
    EASTER_MONDAY,
    LABOUR_DAY,
    ASCENSION,
    WHIT_MONDAY,
    [on(10, 3), 'Day of German Unity', '德国统一日'],
    CHRISTMAS,
    SECOND_CHRISTMAS,
  ],
  ES: [
    NEW_YEAR,
    EPIPHANY,
    GOOD_FRIDAY,
    LABOUR_DAY,
    ASSUMPTION,
    nationalDay(10, 12),
    ALL_SAINTS,
    [on(12, 6), 'Constitution Day', '宪法日'],
    IMMACULATE,
    CHRISTMAS,
  ],
  FR: [
    NEW_YEAR,
    EASTER_MONDAY,
    LABOUR_DAY,
    [on(5, 8), 'Victory Day', '胜利日'],
    ASCENSION,
    WHIT_MONDAY,
    nationalDay(7, 14),
    ASSUMPTION,
    ALL_SAINTS,
    ARMISTICE,
    CHRISTMAS,
  ],
  // England and Wales.
  GB: [
    withObserved(NEW_YEAR, nextMonday),
    GOOD_FRIDAY,
    EASTER_MONDAY,
    [weekdayOf(1, MONDAY, 5), 'Early May bank holiday', '五月初银行假日'],
    [weekdayOf(-1, MONDAY, 5), 'Spring bank holiday', '春季银行假日'],
    [weekdayOf(-1, MONDAY, 8), 'Summer bank holiday', '夏季银行假日'],
    // On a Sunday the Monday is Boxing Day, so Christmas is kept on the Tuesday.
    withObserved(CHRISTMAS, nextTuesday),
    [on(12, 26), 'Boxing Day', '节礼日', (date) => (date.dayOfWeek === SUNDAY ? nextTuesday(date) : nextMonday(date))],
  ],
  IT: [
    NEW_YEAR,
    EPIPHANY,
    EASTER_SUNDAY,
    EASTER_MONDAY,
    [on(4, 25), 'Liberation Day', '解放日'],
    LABOUR_DAY,
    [on(6, 2), 'Republic Day', '共和国日'],
    ASSUMPTION,
    [on(10, 4), 'Saint Francis of Assisi', '圣方济各日'],
    ALL_SAINTS,
    IMMACULATE,
    CHRISTMAS,
    SECOND_CHRISTMAS,
  ],
  NL: [
    NEW_YEAR,
    EASTER_SUNDAY,
    EASTER_MONDAY,
    [
      (year) => {
        const date = on(4, 27)(year)
        return date.dayOfWeek === SUNDAY ? date.subtract({ days: 1 }) : date
      },
      'King’s Day',
      '国王节',
    ],
    ASCENSION,
    WHIT_SUNDAY,
    WHIT_MONDAY,
    CHRISTMAS,
    SECOND_CHRISTMAS,
  ],
  US: [
    withObserved(NEW_YEAR, nearestWorkday),
    [weekdayOf(3, MONDAY, 1), 'Martin Luther King Jr. Day', '马丁·路德·金纪念日'],
    [weekdayOf(3, MONDAY, 2), 'Presidents’ Day', '总统日'],
    [weekdayOf(-1, MONDAY, 5), 'Memorial Day', '阵亡将士纪念日'],
    [on(6, 19), 'Juneteenth', '六月节', nearestWorkday],
    [on(7, 4), 'Independence Day', '独立日', nearestWorkday],
    [weekdayOf(1, MONDAY, 9), 'Labor Day', '劳动节'],
    [weekdayOf(2, MONDAY, 10), 'Columbus Day', '哥伦布日'],
    [on(11, 11), 'Veterans Day', '退伍军人节', nearestWorkday],
    [weekdayOf(4, THURSDAY, 11), 'Thanksgiving', '感恩节'],
    withObserved(CHRISTMAS, nearestWorkday),
  ],
}

export const HOLIDAY_COUNTRIES: readonly string[] = Object.keys(COUNTRIES)

/** From one day to another, both included, in order. A day has one name. */
export function listHolidays(country: string, from: string, to: string): readonly Holiday[] {
  const found = new Map<string, Holiday>()
  const [first, last] = [from, to].map((day) => Number(day.slice(0, 4))) as [number, number]
  // New Year's Day on a Saturday is kept in the year before.
  for (let year = first; year <= last + 1; year++)
    for (const [rule, en, zh, observed] of COUNTRIES[country] ?? []) {
      const date = rule(year)
      for (const day of [date, observed?.(date)].flatMap((each) => each?.toString() ?? []))
        if (day >= from && day <= to && !found.has(day)) found.set(day, { date: day, names: { en, zh } })
    }
  return [...found.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1))
}

/** The country whose zone it is; undefined: none of these. */
export const countryOfZone = (zone: string): string | undefined =>
  HOLIDAY_COUNTRIES.find((country) => new Intl.Locale(`und-${country}`).getTimeZones()?.includes(zone))

/** Codes that people write for a country besides its own. */
const OTHER_CODES: Readonly<Record<string, string>> = {
  USA: 'US',
  UK: 'GB',
  CHN: 'CN',
  PRC: 'CN',
  DEU: 'DE',
  GER: 'DE',
}
const NAMED_IN = ['en', 'zh', 'de', 'fr', 'es']

/** By its code or by its name, as an address states it: `US`, `usa`, `United States`, `中国`. */
export function countryNamed(stated: string): string | undefined {
  const name = stated.normalize('NFKC').replaceAll('.', '').trim().toUpperCase()
  const isNamed = (country: string) =>
    NAMED_IN.some((language) => new Intl.DisplayNames(language, { type: 'region' }).of(country)?.toUpperCase() === name)
  return HOLIDAY_COUNTRIES.find((country) => country === (OTHER_CODES[name] ?? name) || isNamed(country))
}
