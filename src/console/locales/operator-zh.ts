import type { OperatorTexts } from './operator-en.ts'

export const operatorZh: OperatorTexts = {
  phaseOut: {
    title: '订货状态',
    ordered: '按需订货。',
    route: '停止订货：不再补货，机内库存售完为止。',
    machines: (n) => `在 ${n} 台机器停止订货。`,
    stop: '停止订货',
    resume: '恢复订货',
    stopTitle: '停止订货？',
    resumeTitle: '恢复订货？',
    stopText: (product) => `所有机器都不再订购“${product}”。机内库存售完为止，补货计划中显示为“停止订货”。`,
    resumeText: (product) => `补货计划将按需重新订购“${product}”。`,
    stopped: '已停止订货',
    resumed: '已恢复订货',
  },
}
