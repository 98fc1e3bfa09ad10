/** A page that nobody touched for this long flags itself, and is loaded again when somebody does (requirements 4.13, 26.18). Milliseconds. */
export const idleAfter = 3_600_000
