import type { Posted } from '../posted.ts'
import type { apiModes } from './draft.ts'
import { everyone } from '../audiences/audience-match.ts'
import type { DomAction } from './dom-selector.ts'
import { postedChanges } from './form-changes.ts'
import { goals, type Goal } from '../reports/goal.ts'

/** A change, and of which group of pages, counted from 0. */
export type FormChange = DomAction & { group?: number }

/** What stands in the editor's fields, as typed: a page that is refused shows exactly this again. */
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
  /** Empty for no guess. */
  expectedVisitors: string
  /** One pattern a line. Where changes are made on pages of their own, an empty line sets the groups apart. */
  urlPatterns: string
  controlUrl: string
  redirectUrl: string
  changes: FormChange[]
  /** `some` with none chosen is asked about; stored, that is everyone. */
  audienceFor: 'everyone' | 'some'
  audienceIds: string[]
  apiMode: (typeof apiModes)[number] | null
  /** By the shop's clock, as a datetime-local field has it; empty for none. */
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

/** The stored fields with whatever this step of the editor sent laid over them. */
export function typed(stored: DraftForm, posted: Posted): DraftForm {
  const form = { ...stored }
  for (const name of texts) {
    const value = posted[name]
    if (typeof value === 'string') form[name] = value.replace(/\r\n/g, '\n')
  }
  if (typeof posted.goal === 'string' && Object.hasOwn(goals, posted.goal))
    form.goal = posted.goal as Goal
  if (posted.changes !== undefined) form.changes = postedChanges(posted)
  // The step sends an empty one along, so that none chosen is told from a step without audiences.
  if (posted.audienceIds !== undefined) {
    form.audienceIds = [...new Set([posted.audienceIds].flat().filter(Boolean))]
    form.audienceFor = audienceFor(form.audienceIds)
  }
  if (posted.audienceFor === 'everyone')
    Object.assign(form, {
      audienceFor: 'everyone',
      audienceIds: stored.audienceFor === 'everyone' ? stored.audienceIds : [],
    })
  // Who is about to make an audience has none to choose yet.
  if (posted.audienceFor === 'some' && !String(posted.act).startsWith('split.audience:'))
    form.audienceFor = 'some'
  if (stored.apiMode && (posted.apiMode === 'automatic' || posted.apiMode === 'manual'))
    form.apiMode = posted.apiMode
  return form
}

/** Whether the form's choice is everyone or audiences of the store. */
export const audienceFor = (audienceIds: readonly string[]): DraftForm['audienceFor'] =>
  audienceIds.length === 0 || audienceIds.includes(everyone) ? 'everyone' : 'some'
