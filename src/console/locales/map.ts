/** Texts of the map of machines. */
import { grouped, plural } from '../lib/text/plural.ts'

const en = {
  view: 'View',
  list: 'List',
  map: 'Map',
  everywhere: 'Everywhere',
  label: (n: number) => `Map of ${plural(n, 'machine')}; the list below shows the same`,
  states: { empty: 'Slots empty', low: 'Running low', ok: 'Stocked', silent: 'Not reporting' },
  navigate: 'Navigate',
  navigateTo: (name: string) => `Navigate to ${name}`,
  none: 'No machine has a position yet',
  noneText: 'Enter latitude and longitude in the profile of a machine.',
  missing: (n: number) => `${plural(n, 'machine')} without a position`,
  scale: (metres: number) => (metres >= 1000 ? `${metres / 1000} km` : `${metres} m`),
  prices: 'Change prices…',
}

const zh: typeof en = {
  view: '视图',
  list: '列表',
  map: '地图',
  everywhere: '全部',
  label: (n) => `${grouped(n)} 台机器的地图，下方列表内容相同`,
  states: { empty: '有货道缺货', low: '即将缺货', ok: '库存充足', silent: '失联' },
  navigate: '导航',
  navigateTo: (name) => `导航到 ${name}`,
  none: '还没有机器填写位置',
  noneText: '请在机器资料中填写纬度和经度。',
  missing: (n) => `${grouped(n)} 台机器没有位置`,
  scale: (metres) => (metres >= 1000 ? `${metres / 1000} 公里` : `${metres} 米`),
  prices: '批量改价…',
}

export const MAP = { en, zh }
