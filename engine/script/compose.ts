import { isCounted, partsFor, runtimeName } from '../../domain/script/needed-parts.ts'
import { publishedChange } from '../../domain/script/published-change.ts'
import { publishedTest, safeTests } from '../../domain/script/published-config.ts'
import type { ScriptPart } from '../../domain/script/script-part.ts'
import {
  changeKinds,
  type ChangeKind,
  type ScriptConfig,
  type ScriptTest,
} from '../../domain/script/script-config.ts'

/** The runtimes by name, each with two placeholders, and each part as one JavaScript expression. */
export type ScriptSources = {
  runtimes: Record<string, string>
  parts: Record<ScriptPart, string>
  acts: Record<ChangeKind, string>
  /** The checkout pixel, a script of its own. Missing where a single file is the runtime. */
  pixel?: string
  /** What shops with APIs of their own load after paint (storefront/page-apis/part.ts). */
  pageApisPart?: string
}

const configPlace = '__TWINSHELF_CONFIG__',
  partsPlace = '__TWINSHELF_PARTS__'

/** Whether every runtime has exactly one place for the configuration. */
export const haveConfigPlace = ({ runtimes }: ScriptSources): boolean =>
  Object.values(runtimes).every(runtime => runtime.split(configPlace).length === 2)

/**
 * Whether a test's variant is shown at another address. These tests come first in a script, because
 * a visitor who is redirected meets no other test.
 */
export const goesElsewhere = ({ to, sent, view, theme }: ScriptTest): boolean =>
  Boolean(to ?? sent ?? view ?? theme)

/**
 * Names in the code that is composed here. The build does not give them to anything else, so that
 * none of them hides a short name of the runtime.
 */
export const ownNames = ['$', '_', '$a', '_a', '$e']
/**
 * Short names of the members that are composed here and called by the runtime. The build gives
 * these names to the runtime's members.
 */
export const memberNames = {
  place: 'p',
  mayEnter: 'm',
  showArms: 's',
  watchSpeed: 'w',
  shown: 'a',
  answerShop: 'o',
} as const

/**
 * A shop's whole script: the runtime, the parts its tests need, and its configuration. Throws if
 * the runtime has no place for the configuration.
 */
export function composeScript(
  sources: ScriptSources,
  { tests, always = [], pageApis, ...about }: ScriptConfig,
): string {
  const config = { ...about, tests: safeTests(tests) }
  const { runtimes, parts, acts } = sources
  const needed = partsFor({ ...config, always, ...(pageApis && { pageApis }) })
  const has = (part: ScriptPart) => needed.has(part)
  const members = [
    ...(has('api') ? [`${memberNames.answerShop}:${parts.api}`] : []),
    ...(has('speed') ? [`${memberNames.watchSpeed}:${parts.speed}`] : []),
  ]
  const places = (['sent', 'redirect', 'view', 'restore', 'manual'] as const)
    .filter(has)
    .map(part =>
      part === 'sent'
        ? `(${parts.sent})(${literal(config.tests.filter(test => !isCounted(test)))})`
        : parts[part],
    )
  // The first part that knows the kind of test answers; undefined means that it does not know it,
  // and null is an answer.
  if (places.length > 0)
    members.push(
      `${memberNames.place}:${places.length > 1 ? `(...$)=>{for(const _ of[${places.join()}]){const $a=_(...$);if($a!==void 0)return $a}}` : places[0]}`,
    )
  const audience = has('audience')
    ? `,(${parts.audience})(${has('channel') ? parts.channel : ''})`
    : ''
  if (has('entry'))
    members.push(`${memberNames.mayEnter}:(${parts.entry})(()=>navigator.userAgent${audience})`)
  const used = changeKinds.filter(kind =>
    [...always, ...config.tests.flatMap(test => test.changes ?? [])].some(
      change => change.kind === kind,
    ),
  )
  const kinds = `{${used.map(kind => `${kind}:${acts[kind]}`).join()}}`
  const shown = `$.${memberNames.shown}`
  const here = (changing: string) => (has('pages') ? `(${parts.pages})(${changing})` : changing)
  // Applied changes and tested changes are one list, so that neither takes the other for the page's
  // own code.
  const shows = [
    has('always')
      ? `$e(${shown},_)`
      : has('elements') && `(${parts.elements})(${kinds},${here(shown)},_)`,
    has('prices') && `(${parts.prices})(${shown},$a,_a.visitor)`,
    has('log') && `(${parts.log})(_a,$)`,
  ].filter(Boolean)
  if (shows.length > 0)
    members.push(
      `${memberNames.showArms}:($,_${has('prices') || has('log') ? ',$a,_a' : ''})=>[${shows.join()}]`,
    )
  // This part has a listener of its own and must come before the runtime's, which knows nothing
  // about themes.
  if (has('leave')) members.push(`l:(${parts.leave})()`)
  if (has('pageApis')) members.push(`d:(${parts.pageApis})(${literal(pageApis!)})`)
  const everyones = literal({ id: '', changes: always.map(publishedChange) })
  const composed = has('always')
    ? `($e=>((${parts.always})(()=>$e([],[])),{${members.join()}}))(($,_)=>(${parts.elements})(${kinds},${here(`[${everyones},...$]`)},_))`
    : `{${members.join()}}`
  const waits = has('pageApis') && pageApis?.privacy !== undefined
  const runtime = runtimes[runtimeName({ ...about, waits })]
  if (runtime?.split(configPlace).length !== 2)
    throw new Error(`The runtime must have one place for ${configPlace}.`)
  return runtime
    .replace(partsPlace, () => composed)
    .replace(configPlace, () =>
      literal({
        ...config,
        tests: about.previewing ? config.tests : config.tests.map(publishedTest),
      }),
    )
}

/**
 * JSON without quotes around its keys, and escaped so that it can be pasted into a page. The first
 * pattern matches no text inside a string, because quotes are escaped there.
 */
const literal = (value: object): string =>
  JSON.stringify(value)
    .replace(/"([a-z]\w*)":/gi, '$1:')
    .replace(/[<\u2028\u2029]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
