/**
 * A page that nobody has used for this long marks itself as idle, and loads again when someone uses
 * it (requirements 4.13, 26.18). Milliseconds.
 */
export const idleAfter = 3_600_000
