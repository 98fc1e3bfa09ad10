/** `good`: done; `bad`: could not be done; `plain`: worth knowing. */
export type Toast = { text: string; tone: 'good' | 'bad' | 'plain' }
export const toastTones = ['good', 'bad', 'plain'] as const

/** Most on a page at once (requirements 26.22). They stay until they are closed (requirements 25.21). */
export const toastsShown = 20
/** Characters of one. */
export const toastLength = 300
