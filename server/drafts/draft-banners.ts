import { unanswered } from '../upstream/api-outcomes.ts'

/** Above the editor when someone else saved the draft meanwhile. */
export const conflictBanner = {
  tone: 'warn' as const,
  title: 'Someone else saved this draft.',
  text: 'Your changes are still here but not saved. Save again to overwrite theirs, or leave this page to keep theirs.',
}

/** Above the editor when all is stored, but the shop did not let the test start. */
export const unlaunchedBanner = (why: string) => ({
  tone: 'bad' as const,
  title: 'Not launched.',
  text: `Your draft is saved. ${why}`,
})
/** Above the editor when an act asked the shop, which did not answer. */
export const silentBanner = (error: unknown) => ({
  tone: 'bad' as const,
  title: unanswered(error, 'Your shop did not answer.'),
  text: 'Your draft is saved, but what you asked for may not be done. Try again in a minute.',
})
