import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../icons.tsx'

/** What a check of the measurement came to. Colour never says it alone. */
export type Outcome = { tone: 'good' | 'warn' | 'bad' | 'neutral'; words: string }
export const passed = (words = 'Passed'): Outcome => ({ tone: 'good', words })
/** Of an imported test: a check of what its file does not tell is neither passed nor failed. */
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
/** One check, with what it rests on below. */
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
