/** Texts of what an operator states: products to phase out, settings of slots, calendars, swaps. */
export const operatorEn = {
  phaseOut: {
    title: 'Ordering',
    ordered: 'Ordered where it is needed.',
    route: 'Phasing out: nothing more is ordered; what is in the machines sells off.',
    machines: (n: number) => `Phasing out in ${n} ${n === 1 ? 'machine' : 'machines'}.`,
    stop: 'Phase out',
    resume: 'Order again',
    stopTitle: 'Phase out this product?',
    resumeTitle: 'Order this product again?',
    stopText: (product: string) =>
      `Nothing more of ${product} will be ordered for any machine. What is in the machines sells off, and the plan shows it as phasing out.`,
    resumeText: (product: string) => `The plan will order ${product} again where it is needed.`,
    stopped: 'Phasing out',
    resumed: 'Ordered again',
  },
}

export type OperatorTexts = typeof operatorEn
