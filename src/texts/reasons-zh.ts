/** Reasons that the service reports in English only: why a row or a file could not be read, and what a machine reports. */

const WORDS: Readonly<Record<string, string>> = {
  'article number': '货号',
  'back-ordered quantity': '欠货数量',
  capacity: '容量',
  cells: '单元格',
  code: '代码',
  'confirmed quantity': '确认数量',
  data: '数据',
  description: '说明',
  id: '编号',
  lane: '货道',
  'line number': '行号',
  lines: '明细',
  machine: '机器',
  number: '单号',
  'order number': '订单号',
  'order quantity': '起订量',
  'ordered quantity': '订购数量',
  'pack size': '箱规',
  par: '补货目标',
  'payment status': '支付状态',
  price: '价格',
  'product code': '商品编码',
  quantity: '数量',
  'shipped quantity': '发货数量',
  status: '状态',
  stock: '库存',
  time: '时间',
  title: '名称',
  total: '金额',
  transaction: '交易号',
  unit: '单位',
}

const cellZh = (cell: string): string => cell.replace(/^"(.*)" in the column "(.*)"$/s, '“$2”列中的“$1”')
const packZh = (pack: string): string => (pack === 'no pack text' ? '未注明包装' : pack)

const REASONS: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/^its (.+) cannot be read$/, (word) => `${WORDS[word] ?? `${word} `}无法读取`],
  [
    /^its (.+) cannot be read: (".*" in the column ".*")$/,
    (word, cell) => `${WORDS[word] ?? `${word} `}无法读取：${cellZh(cell)}`,
  ],
  [/^its (?:pack )?price is no amount: (".*" in the column ".*")$/, (cell) => `价格不是金额：${cellZh(cell)}`],
  [
    /^its code has a blank or a colon(?:: (".*" in the column ".*"))?$/,
    (cell) => `编号含空格或冒号${cell === undefined ? '' : `：${cellZh(cell)}`}`,
  ],
  [/^its tax is no rate in percent: (".*" in the column ".*")$/, (cell) => `税率不是百分比：${cellZh(cell)}`],
  [
    /^needs your word: how many items are in its pack \((.+)\)$/,
    (pack) => `需要您确认：每箱有多少件（${packZh(pack)}）`,
  ],
  [
    /^needs your word: its pack price divided by its price each is not the size of its pack \((.+)\)$/,
    (pack) => `需要您确认：整箱价格与单件价格不符（${packZh(pack)}）`,
  ],
  [
    /^needs your word: one item cost (.+) in the last list and (.+) in this one$/,
    (before, now) => `需要您确认：单件价格上一份为 ${before}，这一份为 ${now}`,
  ],
  [/^its lane is listed with other contents as well$/, () => '同一货道还登记了其他商品'],
  [/^its rows contradict each other$/, () => '各行内容互相矛盾'],
  [/^its price is in another currency$/, () => '价格是其他币种'],
  [/^its price is not set$/, () => '没有设置价格'],
  [/^it is in (\w+), not in (\w+)$/, (is, wanted) => `币种是 ${is}，应为 ${wanted}`],
  [/^it has no meters$/, () => '没有计数器'],
  [/^there is no DEX audit file in it$/, () => '不含 DEX 审计数据'],
  [/^it belongs to no configured machine \((.+)\)$/, (name) => `不属于任何已配置的机器（${name}）`],
  [/^its checksum is wrong$/, () => '校验和错误'],
  [/^it ends before its trailer$/, () => '文件不完整'],
  [/^one of its counters is not a number$/, () => '有计数器不是数字'],
  [/^its amounts are in (\w+), not in (\w+)$/, (is, wanted) => `金额币种是 ${is}，应为 ${wanted}`],
  [/^its amounts have more decimal places than (\w+)$/, (currency) => `金额的小数位数超过 ${currency} 的规定`],
  [
    /^it has (\d+) slots, and the one before had (\d+)$/,
    (slots, before) => `有 ${slots} 个货道，之前的文件有 ${before} 个`,
  ],
  [/^The file has no checksum$/, () => '文件没有校验和'],
  [/^The checksum is wrong and was accepted$/, () => '校验和错误，已按设置接受'],
  [/^The selections do not add up to the machine's total$/, () => '各货道销量之和与机器总数不符'],
  [/^The machine's clock is wrong; the time of the file was used$/, () => '机器时钟不准，已采用文件时间'],
  [
    /^More than (\d+) sales since the reading before; they were not counted$/,
    (n) => `自上次读数以来超过 ${n} 笔销售，未计入`,
  ],
  [/^No reading for more than (\d+) hours$/, (hours) => `超过 ${hours} 小时没有读数`],
  [/^The newest file was refused: (.+)$/, (why) => `最新的文件被拒绝：${reasonZh(why) ?? why}`],
  [
    /^Row (\d+): what does “(.+)” mean\?(?: Say which in the settings on the server: (.+))?$/,
    (row, word, setting) => `第 ${row} 行：“${word}”是什么意思？${onServer(setting)}`,
  ],
  [
    /^Which column is the (.+?): (“.+”)\?(?: Say which in the settings on the server: (.+))?$/,
    (column, names, setting) =>
      `哪一列是${WORDS[column] ?? column}：${names.replaceAll('” or “', '”还是“')}？${onServer(setting)}`,
  ],
  [/^Sold out: selection (.+)$/, (selections) => `缺货的货道：${selections}`],
]

const onServer = (setting: string | undefined): string =>
  setting === undefined ? '' : `请在服务器的设置中选择写明：${setting}`

/** Undefined for a text that has no translation, such as the words of a vendor. */
export function reasonZh(text: string): string | undefined {
  for (const [pattern, write] of REASONS) {
    const found = pattern.exec(text)
    if (found) return write(...found.slice(1))
  }
  return undefined
}
