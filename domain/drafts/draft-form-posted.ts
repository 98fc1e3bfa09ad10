import type { Posted } from '../posted.ts'
import type { apiModes } from './draft.ts'
import { everyone } from '../audiences/audience-match.ts'
import type { DomAction } from './dom-selector.ts'
import { postedChanges } from './form-changes.ts'
import { goals, type Goal } from '../reports/goal.ts'

/** A change and the number of its group of pages, from 0. */
export type FormChange = DomAction & { group?: number }

/** The editor's fields as typed. When a save is refused, the page shows exactly these again. */
export type DraftForm = {
  title: string
  hypothesisDescription: string
  controlTitle: string
  variantTitle: string
  goal: Goal
  /** In percent. */
  controlWeight: string
  variantWeight: string
  minimumEffect: string
  /** Empty when the merchant gave no number. */
  expectedVisitors: string
  /**
   * One pattern per line. When groups of changes have different pages, an empty line separates the
   * groups.
   */
  urlPatterns: string
  controlUrl: string
  redirectUrl: string
  changes: FormChange[]
  /**
   * `some` without any chosen audience is a problem that the form reports; if it is stored, it
   * means everyone.
   */
  audienceFor: 'everyone' | 'some'
  audienceIds: string[]
  apiMode: (typeof apiModes)[number] | null
  /** In the shop's time zone, in the format of a datetime-local field; empty for none. */
  launchAt: string
  automaticallyEndAt: string
}

const texts = [
  'title',
  'hypothesisDescription',
  'controlTitle',
  'variantTitle',
  'controlWeight',
  'variantWeight',
  'minimumEffect',
  'expectedVisitors',
  'urlPatterns',
  'controlUrl',
  'redirectUrl',
  'launchAt',
  'automaticallyEndAt',
] as const

/** The stored fields, overwritten with the fields that this step of the editor posted. */
export function typed(stored: DraftForm, posted: Posted): DraftForm {
  const form = { ...stored }
  for (const name of texts) {
    const value = posted[name]
    if (typeof value === 'string') form[name] = value.replace(/\r\n/g, '\n')
  }
  if (typeof posted.goal === 'string' && Object.hasOwn(goals, posted.goal))
    form.goal = posted.goal as Goal
  if (posted.changes !== undefined) form.changes = postedChanges(posted)
  // The audience step also sends an empty value, so that "none chosen" differs from a step without
  // audiences.
  if (posted.audienceIds !== undefined) {
    form.audienceIds = [...new Set([posted.audienceIds].flat().filter(Boolean))]
    form.audienceFor = audienceFor(form.audienceIds)
  }
  if (posted.audienceFor === 'everyone')
    Object.assign(form, {
      audienceFor: 'everyone',
      audienceIds: stored.audienceFor === 'everyone' ? stored.audienceIds : [],
    })
  // A merchant who is about to create an audience may have none to choose yet.
  if (posted.audienceFor === 'some' && !String(posted.act).startsWith('split.audience:'))
    form.audienceFor = 'some'
  if (stored.apiMode && (posted.apiMode === 'automatic' || posted.apiMode === 'manual'))
    form.apiMode = posted.apiMode
  return form
}

/** The form's choice for these audiences: everyone, or some. */
export const audienceFor = (audienceIds: readonly string[]): DraftForm['audienceFor'] =>
  audienceIds.length === 0 || audienceIds.includes(everyone) ? 'everyone' : 'some'
