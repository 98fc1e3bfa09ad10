import type { Posted } from '../posted.ts'
import type { FieldProblem } from '../problem.ts'
import { storeNameLength } from './store.ts'
import {
  industries,
  keysOf,
  sources,
  teamSizes,
  testingExperiences,
  type Industry,
} from './store-onboarding.ts'

/**
 * The result of reading a merchant's form about the store: the value to store, or the problems at
 * their fields.
 */
export type Parsed<T> = { value: T; problems: [] } | { value: null; problems: FieldProblem[] }

export function parseStoreName(posted: Posted): Parsed<{ name: string }> {
  const name = String(posted.name ?? '').trim()
  if (!name) return wrong([{ field: 'name', message: 'Give the store a name.' }])
  if (name.length > storeNameLength)
    return wrong([
      {
        field: 'name',
        message: `Keep it to ${storeNameLength} characters; these are ${name.length}.`,
      },
    ])
  return { value: { name }, problems: [] }
}

export function parseIndustry(
  posted: Posted,
): Parsed<{ selectedIndustry: Industry; teamSize: keyof typeof teamSizes }> {
  const selectedIndustry = keyIn(industries, posted.selectedIndustry),
    teamSize = keyIn(teamSizes, posted.teamSize)
  if (selectedIndustry && teamSize) return { value: { selectedIndustry, teamSize }, problems: [] }
  return wrong([
    ...(selectedIndustry
      ? []
      : [{ field: 'selectedIndustry', message: 'Choose what the shop sells.' }]),
    ...(teamSize ? [] : [{ field: 'teamSize', message: 'Choose how many work on the shop.' }]),
  ])
}

export function parseExperience(
  posted: Posted,
): Parsed<{ testingExperience: keyof typeof testingExperiences; source: keyof typeof sources }> {
  const testingExperience = keyIn(testingExperiences, posted.testingExperience),
    source = keyIn(sources, posted.source)
  if (testingExperience && source) return { value: { testingExperience, source }, problems: [] }
  return wrong([
    ...(testingExperience
      ? []
      : [{ field: 'testingExperience', message: 'Choose how much testing you have done.' }]),
    ...(source ? [] : [{ field: 'source', message: 'Choose where you heard of us.' }]),
  ])
}

const wrong = (problems: FieldProblem[]) => ({ value: null, problems })
const keyIn = <T extends object>(
  choices: T,
  chosen: string | string[] | undefined,
): keyof T | undefined => keysOf(choices).find(key => key === chosen)
