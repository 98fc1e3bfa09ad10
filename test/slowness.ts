/**
 * How many times as long the browser's tests wait in the soak: its servers answer late on purpose
 * (scripts/testing/slow-answers.js), for hours, beside other work. 1 in every other run. It
 * multiplies the limits of what a test waits for, never those within which something must not
 * happen.
 */
export const slowness = process.env['SLOW_ANSWERS'] ? 4 : 1
