import { sessionUsage, type StoreStatus } from '../stores/store.ts'

/** The colours of a progress bar, and the tone of each in our styles. */
const tones = { emerald: undefined, amber: 'warn', rose: 'bad' } as const
export type ProgressColour = keyof typeof tones

/**
 * The tone of a colour. Throws an Error for a colour that progress bars do not have
 * (requirements 25.12).
 */
export function progressTone(colour: string): (typeof tones)[ProgressColour] {
  if (!Object.hasOwn(tones, colour)) throw new Error(`Unknown progress-bar colour "${colour}".`)
  return tones[colour as ProgressColour]
}

export type Usage = {
  /** Percent of the plan's visitors, rounded down; can be above 100. */
  percent: number
  /** Width of the bar in percent, at most 100. */
  filled: number
  colour: ProgressColour
  /** Whether the warning icon is shown. */
  isWarned: boolean
}

/**
 * Usage warnings (requirements 26.12): icon and amber from 80%, rose from 90%, the bar capped at
 * 100%.
 */
export function usageOf(status: Pick<StoreStatus, 'sessions' | 'sessionLimit'>): Usage {
  const usage = sessionUsage(status)
  return {
    percent: Math.floor(usage * 100),
    filled: Math.min(100, Math.floor(usage * 100)),
    colour: usage >= 0.9 ? 'rose' : usage >= 0.8 ? 'amber' : 'emerald',
    isWarned: usage >= 0.8,
  }
}
