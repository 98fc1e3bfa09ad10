import { type HoldCause, holdCause } from '../../domain/tests/hold-cause.ts'
import type { ScriptState } from '../../domain/script/script-state.ts'
import type { EngineContext } from '../context.ts'

type Context = Pick<EngineContext, 'db' | 'platform'>

/**
 * Asks the shop whether the pages of its live theme load our script, and stores where the merchant
 * turns it on when they do not. Pages of the app show what is stored, so that they open without the
 * shop (decision 071).
 */
export async function lookAtSwitch(
  { db, platform }: Context,
  { storeId, shop }: { storeId: string; shop: string },
): Promise<ScriptState> {
  const found = await platform.scriptState(shop)
  const off = found.state === 'off' ? found.switchAt : null
  await db.kysely
    .updateTable('stores')
    .set({ script_switch_at: off })
    .where('store_id', '=', storeId)
    .where('script_switch_at', 'is distinct from', off)
    .execute()
  return found
}

/** The cause when the pages of the live theme do not load our script; null when they do. */
export async function switchTrouble(
  context: Context,
  store: { storeId: string; shop: string },
): Promise<HoldCause | null> {
  const { state, switchAt } = await lookAtSwitch(context, store)
  return state === 'off' ? scriptOff(switchAt) : null
}

/**
 * The same for another theme that a test shows: its visitors would be in no test, and would not be
 * counted.
 */
export async function themeSwitchTrouble(
  { platform }: Pick<EngineContext, 'platform'>,
  shop: string,
  theme: { id: string; name: string },
): Promise<HoldCause | null> {
  const { state, switchAt } = await platform.scriptState(shop, theme.id)
  return state === 'off'
    ? scriptOff(switchAt, `The Twinshelf script is switched off in the theme ${theme.name}.`)
    : null
}

const scriptOff = (switchAt: string | null, message?: string): HoldCause => ({
  ...holdCause('scriptOff', message),
  ...(switchAt && { fixAt: switchAt }),
})
