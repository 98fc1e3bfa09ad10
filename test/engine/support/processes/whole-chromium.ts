import { findChromium } from '../../../../engine/browser/chromium.ts'

/**
 * Path of this machine's Chromium as the image has it; null when there is none. Tests of how we
 * drive a browser use it. `npm test` gives all other tests a headless shell (`CHROMIUM_PATH`),
 * which needs a quarter of the processor time to start.
 */
export const wholeChromium = (): string | null =>
  findChromium(undefined) ?? findChromium(process.env['CHROMIUM_PATH'])
