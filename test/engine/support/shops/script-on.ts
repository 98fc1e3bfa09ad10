import type { DemoShop } from '../../../../demo-shop/app.ts'

/** The themes that every demo shop has. Copies of them have the switches of their originals. */
const themeIds = ['160001', '160002']

/**
 * What a merchant does first where the app's script has a switch: turns it on in every theme. Does
 * nothing where the shop puts the script into its pages by itself.
 */
export function turnScriptOn({ scriptSwitches }: Pick<DemoShop, 'scriptSwitches'>): void {
  for (const id of themeIds) if (scriptSwitches.stateOf(id) === 'off') scriptSwitches.set(id, true)
}
