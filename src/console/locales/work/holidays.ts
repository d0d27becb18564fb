/** Texts of public holidays. */
import { plural } from '../../lib/text/plural.ts'

const en = {
  title: 'Public holidays',
  note: 'Machines that are closed sell nothing and get no visit on these days. Days that a government adds for one year are entered in the calendar of a machine.',
  noCountry: 'No holidays are known for the country of this route. Enter closed days in the calendar of each machine.',
  closed: (closed: number, machines: number) =>
    closed === 0 ? 'all machines open' : `${closed} of ${plural(machines, 'machine')} closed`,
  unanswered: 'Not answered yet',
  choose: 'Choose machines',
  ask: 'Which machines are closed on this day?',
  all: 'All closed',
  none: 'All open',
  save: (closed: number) => (closed === 0 ? 'Save: all open' : `Save: ${closed} closed`),
  saved: 'Saved. The plan takes it into account.',
  soon: (holiday: string) => `${holiday}: which machines are closed?`,
}

const zh: typeof en = {
  title: '公共假日',
  note: '停业的机器当天没有销售，也不安排上门。政府当年公布的调休日，请在机器的日历中填写。',
  noCountry: '没有本线路所在国家的假日。请在每台机器的日历中填写停业日。',
  closed: (closed, machines) => (closed === 0 ? '全部营业' : `${machines} 台机器中 ${closed} 台停业`),
  unanswered: '尚未确认',
  choose: '选择机器',
  ask: '当天哪些机器停业？',
  all: '全部停业',
  none: '全部营业',
  save: (closed) => (closed === 0 ? '保存：全部营业' : `保存：${closed} 台停业`),
  saved: '已保存，补货计划会按此安排。',
  soon: (holiday) => `${holiday}：哪些机器停业？`,
}

export const HOLIDAYS = { en, zh }
