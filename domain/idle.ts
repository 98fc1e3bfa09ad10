/** A page that nobody touched for this long flags itself, and is loaded anew when somebody does (spec §9). Milliseconds. */
export const idleAfter = 60 * 60_000
