/**
 * By how much the soak multiplies the limits of time of the browser's tests. Its servers answer late
 * on purpose (scripts/testing/slow-answers.js), and it runs for hours on machines that do other
 * things meanwhile. 1 in every other run. Only limits of what a test waits for are multiplied, and
 * never those within which something must not happen.
 */
export const patience = process.env['SLOW_ANSWERS'] ? 4 : 1
