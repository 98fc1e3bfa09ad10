import * as Type from 'typebox'

/**
 * An applied winner that needs our script in the shop. `isOn` is false after an uninstall, until
 * the merchant switches it on again.
 */
export const ScriptWinner = Type.Object({
  id: Type.String(),
  title: Type.String(),
  isOn: Type.Boolean(),
})
export type ScriptWinner = Type.Static<typeof ScriptWinner>
