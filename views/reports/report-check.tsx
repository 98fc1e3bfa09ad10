import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../icons.tsx'

/** The result of a check of the measurement. Words say it too, never colour alone. */
export type Outcome = { tone: 'good' | 'warn' | 'bad' | 'neutral'; words: string }
export const passed = (words = 'Passed'): Outcome => ({ tone: 'good', words })
/** For an imported test: a check for which its file has no data is neither passed nor failed. */
export const notInFile: Outcome = { tone: 'neutral', words: 'Not in the file' }
export const waiting: Outcome = { tone: 'neutral', words: 'Waiting for visitors' }

export const outcomeIcons: Record<Outcome['tone'], IconName> = {
  good: 'check',
  warn: 'warning',
  bad: 'warning',
  neutral: 'clock',
}

type CheckProps = {
  title: ComponentChildren
  outcome: Outcome
  /** For links to it. */ id?: string
  children: ComponentChildren
}
/** One check, with the figures behind it below. */
export const Check = ({ title, outcome, id, children }: CheckProps) => (
  <div class="trust-check" id={id}>
    <h3>{title}</h3>
    <span class="status" data-tone={outcome.tone}>
      <Icon name={outcomeIcons[outcome.tone]} />
      {outcome.words}
    </span>
    {children}
  </div>
)

export const armNames = [
  ['Control', 'arm-mark arm-mark-control'],
  ['Variant', 'arm-mark'],
] as const
