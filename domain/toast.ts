/**
 * A short message on a page. `good`: something was done. `bad`: it failed. `plain`: information.
 */
export type Toast = { text: string; tone: 'good' | 'bad' | 'plain' }
export const toastTones = ['good', 'bad', 'plain'] as const

/**
 * Maximum number on a page (requirements 26.22). They stay until they are closed
 * (requirements 25.21).
 */
export const toastsShown = 20
/** Maximum length of a toast, in characters. */
export const toastLength = 300
