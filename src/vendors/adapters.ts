/** Every adapter of the service. A new one is a folder of its own and a row here. */
import { ACME_MACHINE, ACME_SUPPLY } from './acme/modules.ts'
import type { AdapterModule } from './adapter-module.ts'
import { evaDts } from './eva-dts/index.ts'
import { nayaxLynx } from './nayax-lynx/index.ts'
import { SHEET_MACHINES } from './sheet-machines/index.ts'
import { SHEET_SUPPLY } from './sheet/index.ts'
import { UCP_SUPPLY } from './ucp/index.ts'

export const ADAPTERS: readonly AdapterModule[] = [
  ACME_SUPPLY,
  ACME_MACHINE,
  SHEET_SUPPLY,
  SHEET_MACHINES,
  evaDts,
  nayaxLynx,
  UCP_SUPPLY,
]
