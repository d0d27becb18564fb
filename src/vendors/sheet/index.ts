/** The adapter `price-list`: a price list in, order documents out. */
import type { AdapterModule } from '../adapter-module.ts'
import { guessAnswers } from './price-list/guess-answers.ts'
import { proposeCatalog } from './price-list/propose-catalog.ts'
import { previewPriceList } from './preview.ts'
import { PROMPTS } from './prompts.ts'
import { type SheetSettings, checkSettings, SECRETS } from './settings.ts'
import { sheetSupply } from './sheet-supply.ts'

export const SHEET_SUPPLY: AdapterModule<SheetSettings> = {
  adapter: 'price-list',
  formerName: 'sheet',
  role: 'supply',
  secrets: SECRETS,
  check: checkSettings,
  open: sheetSupply,
  prompts: PROMPTS,
  guess: { file: 'catalog.file', from: guessAnswers },
  preview: previewPriceList,
  hosted: {
    files: [
      { kind: 'price_list', path: 'catalog.file', holds: 'newest' },
      { kind: 'reply', path: 'order.inbox', holds: 'folder', onlyIf: 'order' },
    ],
    serverOnly: ['order.out'],
    propose: { kind: 'price_list', path: 'catalog', from: proposeCatalog },
    account: ({ order }) => order?.buyer.account ?? '',
  },
}
