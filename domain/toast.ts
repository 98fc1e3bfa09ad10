/** `good`: done; `bad`: could not be done; `plain`: worth knowing. */
export type Toast = { text: string; tone: 'good' | 'bad' | 'plain' }
export const toastTones = ['good', 'bad', 'plain'] as const

/** Most on a page at once (spec §9). They stay until they are closed: the 5000 ms there are the default that the product overrides (§8). */
export const toastsShown = 20
/** Characters of one. */
export const toastLength = 300
