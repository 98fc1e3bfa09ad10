import { audienceFields } from '../audiences/audience-field.ts'
import type { ScriptConfig, ScriptTest } from './script-config.ts'
import type { ScriptPart } from './script-part.ts'

/**
 * The settings of a store (flags and its consent rule) for which the build makes runtimes of their
 * own.
 */
const storeSwitches = ['asksConsent', 'isSparing', 'keepsReferrer'] as const
/** `waits`: the shop's pages have a privacy API, and nothing is sent before it has answered. */
export const runtimeSwitches = [...storeSwitches, 'waits'] as const
export type RuntimeSwitch = (typeof runtimeSwitches)[number]

/** All combinations of a store's settings. */
export const switchChoices: RuntimeSwitch[][] = storeSwitches.reduce<RuntimeSwitch[][]>(
  (found, name) => [...found, ...found.map(on => [...on, name])],
  [[]],
)
/**
 * The same runtime where the pages have a privacy API. Where only visitors who have agreed are
 * counted, nobody else has anything that could wait.
 */
export const waiting = (on: readonly RuntimeSwitch[]): RuntimeSwitch[] =>
  on.includes('asksConsent') ? [...on] : [...on, 'waits']
/** All runtimes. */
export const runtimeChoices: RuntimeSwitch[][] = [
  ...switchChoices,
  ...switchChoices.filter(on => !on.includes('asksConsent')).map(waiting),
]

/**
 * The name of the runtime that is built with these switches on. It is empty for most stores, which
 * have none on.
 */
export const runtimeName = (isOn: { [Name in RuntimeSwitch]?: boolean }): string => {
  const on = storeSwitches.filter(name => isOn[name])
  return nameOfRuntime(isOn.waits ? waiting(on) : on)
}
export const nameOfRuntime = (on: readonly RuntimeSwitch[]): string => on.join('+')

/** Whether visitors are counted for a test. Those who are only sent on are not. */
export const isCounted = ({ sent }: Pick<ScriptTest, 'sent'>): boolean => sent === undefined

/** The parts that these tests need. */
export function partsFor({
  tests,
  always = [],
  debug,
  pageApis,
}: Pick<ScriptConfig, 'tests' | 'always' | 'debug' | 'pageApis'>): Set<ScriptPart> {
  const needed = new Set<ScriptPart>()
  const need = (...parts: ScriptPart[]) => parts.forEach(part => needed.add(part))
  for (const { to, sent, view, theme, changes, prices, api, isManual, audiences, layer } of tests) {
    if (to) need('redirect')
    if (sent) need('sent')
    const names = view ?? theme
    if (names) need(names[0] ? 'view' : 'restore')
    if (theme) need('leave')
    if (changes) need('elements')
    if (changes?.some(({ pages }) => pages)) need('pages')
    if (prices) need('prices')
    if (api) need('api')
    if (isManual) need('manual')
    if (layer !== undefined) need('entry')
    if (audiences) need('entry', 'audience')
    for (const { number, part } of audienceFields)
      if (part && audiences?.some(audience => typeof audience === 'object' && audience[number]))
        need(part)
  }
  if (always.length > 0) need('elements', 'pages', 'always')
  const isCounting = tests.some(isCounted)
  if (isCounting) need('speed')
  if (debug) need('log')
  // Without tests nobody is counted, so nobody needs to be asked.
  if (pageApis && isCounting) need('pageApis')
  return needed
}
