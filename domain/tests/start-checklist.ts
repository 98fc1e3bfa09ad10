import * as Type from 'typebox'

/** The first steps of a store, in their order. */
export const startSteps = ['script', 'draft', 'launch', 'result'] as const
export type StartStep = (typeof startSteps)[number]

/** Which steps are done. */
export const StartChecklist = Type.Object({
  script: Type.Boolean(),
  draft: Type.Boolean(),
  launch: Type.Boolean(),
  result: Type.Boolean(),
  /**
   * Where the merchant turns on the script; null when the shop's pages load it or need no switch.
   */
  scriptSwitchAt: Type.Union([Type.String(), Type.Null()]),
})
export type StartChecklist = Type.Static<typeof StartChecklist>

const words: Record<StartStep, { open: string; done: string }> = {
  script: {
    open: 'The Twinshelf script is added to your shop with your first launch',
    done: 'The Twinshelf script is on your shop',
  },
  draft: { open: 'Create your first draft', done: 'You created your first draft' },
  launch: { open: 'Launch your first test', done: 'You launched your first test' },
  result: { open: 'See which version sells more', done: 'Your first test compares its versions' },
}

const switchWords = 'Turn on the Twinshelf script in your theme’s settings'

export type StartLine = {
  step: StartStep
  isDone: boolean
  words: string
  /** The next step to do. */
  isNext: boolean
  /** A page of the shop's admin where the step is done. */
  address: string | null
}

/**
 * The checklist in words. The script is installed automatically, so it is the next step only where
 * the merchant must switch it on.
 */
export function startLines(done: StartChecklist): StartLine[] {
  const { scriptSwitchAt } = done
  const next = scriptSwitchAt ? 'script' : startSteps.find(step => step !== 'script' && !done[step])
  return startSteps.map(step => ({
    step,
    isDone: done[step],
    words:
      step === 'script' && scriptSwitchAt ? switchWords : words[step][done[step] ? 'done' : 'open'],
    isNext: step === next,
    address: step === 'script' ? scriptSwitchAt : null,
  }))
}

export const isStarted = (done: StartChecklist): boolean => startSteps.every(step => done[step])
