/**
 * Whether the pages of a theme load our script: the merchant has switched it `on`, or it is `off`.
 * `notNeeded`: the platform has no such switch, because we put the script into the pages.
 */
export const scriptStates = ['on', 'off', 'notNeeded'] as const
export type ScriptState = {
  state: (typeof scriptStates)[number]
  /** Where in the shop's admin the merchant turns it on; null when there is no switch. */
  switchAt: string | null
}

export const scriptOffWords = {
  message: 'The Twinshelf script is switched off in your shop’s theme.',
  action: 'Turn on the script',
} as const
