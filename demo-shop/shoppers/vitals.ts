import { deviceOf, devices, type Device } from '../../domain/device.ts'
import type { Vitals } from '../../domain/events/event.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type { Chance } from './chance.ts'

/**
 * Medians of a shop's pages in milliseconds, and how widely the values scatter (standard deviation
 * of the logarithm).
 */
const usual: Record<Device, { lcp: number; inp: number }> = {
  desktop: { lcp: 1_450, inp: 64 },
  phone: { lcp: 2_050, inp: 136 },
  tablet: { lcp: 1_800, inp: 104 },
}
const spread = { lcp: 0.42, inp: 0.6, cls: 0.9 }
/** The median layout shift, in thousandths, of the pages that shift at all. */
const usualShift = 38
const share = { unmeasured: 0.05, still: 0.4, interacts: 0.7 }
/**
 * How much later the largest paint is where a variant is shown: hardly later for a changed element,
 * more for another address.
 */
const slower = { onThePage: 1.015, elsewhere: 1.06 }

/**
 * What the browser with `userAgent` would report about one page; null for a page that began in the
 * background. `shown`: the tests whose variant the page shows.
 */
export function vitalsOf(userAgent: string, shown: ScriptTest[], aside: Chance): Vitals | null {
  const { lcp, inp } = usual[devices[deviceOf(userAgent)]]
  const drawn = {
    lcp: Math.round(
      lcp *
        scatter(spread.lcp, aside) *
        shown.reduce(
          (factor, { changes }) => factor * (changes ? slower.onThePage : slower.elsewhere),
          1,
        ),
    ),
    cls: aside.happens(share.still) ? 0 : Math.round(usualShift * scatter(spread.cls, aside)),
    // The browser rounds it to a multiple of 8 ms.
    inp: Math.max(8, Math.round((inp * scatter(spread.inp, aside)) / 8) * 8),
  }
  const isInteracting = aside.happens(share.interacts),
    isMeasured = !aside.happens(share.unmeasured)
  // Only browsers based on Chromium report shifts.
  return isMeasured
    ? {
        lcp: drawn.lcp,
        ...(userAgent.includes('Chrome/') && { cls: drawn.cls }),
        ...(isInteracting && { inp: drawn.inp }),
      }
    : null
}

/** A factor around 1 whose logarithm is normal (Box and Muller's transform). */
const scatter = (deviation: number, aside: Chance): number =>
  Math.exp(
    deviation * Math.sqrt(-2 * Math.log(1 - aside.next())) * Math.cos(2 * Math.PI * aside.next()),
  )
