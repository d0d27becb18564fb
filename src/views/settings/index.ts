/** Settings of the deployment: reading them, and setting those that the environment leaves to owners. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { changeSettings } from './change-settings.ts'
import { findCurrencyUse } from './currency-use.ts'
import { listChanges } from './records.ts'
import { settingsView } from './view.ts'

const CHANGES_SHOWN = 20

export function settingsHandlers(ctx: Context): HandlersOf<'getSettings' | 'changeSettings'> {
  const getSettings = async () => {
    const { db } = ctx.store
    const [use, changes] = [await findCurrencyUse(ctx, db), await listChanges(db, CHANGES_SHOWN)]
    return accept({ body: settingsView(ctx.config, use, changes) })
  }
  return {
    getSettings,

    async changeSettings({ body }) {
      const changed = await changeSettings(ctx, body)
      return changed.ok ? getSettings() : changed
    },
  }
}

// What other folders use.
export { isCurrencyOpen } from './currency-use.ts'
export { liveSettings } from './live-settings.ts'
export { chainedSettings } from './records.ts'
