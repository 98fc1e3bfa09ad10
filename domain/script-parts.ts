import { changeKinds, type ChangeKind, type ScriptConfig, type ScriptTest } from './script-config.ts'

/** Parts of the storefront script that only some tests need. */
export const scriptParts = ['elements', 'prices', 'redirect', 'view', 'restore', 'entry', 'audience', 'channel', 'api', 'log'] as const
export type ScriptPart = (typeof scriptParts)[number]
/** The runtime with its two placeholders, and each part as one JavaScript expression. */
export type ScriptSources = { runtime: string; parts: Record<ScriptPart, string>; acts: Record<ChangeKind, string> }

const configPlace = '__TWINSHELF_CONFIG__', partsPlace = '__TWINSHELF_PARTS__'

/** Whether the runtime has its one place for the configuration. */
export const hasConfigPlace = ({ runtime }: ScriptSources): boolean => runtime.split(configPlace).length === 2

/** Whether a test's variant is shown at another address: such tests come first in a script, since who is sent on meets nothing else. */
export const goesElsewhere = ({ to, view, theme }: ScriptTest): boolean => Boolean(to ?? view ?? theme)

/** The parts that these tests need. */
export function partsFor({ tests, debug }: Pick<ScriptConfig, 'tests' | 'debug'>): Set<ScriptPart> {
  const needed = new Set<ScriptPart>()
  const need = (...parts: ScriptPart[]) => parts.forEach(part => needed.add(part))
  for (const { to, view, theme, changes, prices, api, audiences, layer } of tests) {
    if (to) need('redirect')
    if (view || theme?.[0]) need('view')
    if (theme?.[0] === '') need('restore')
    if (changes) need('elements')
    if (prices) need('prices')
    if (api) need('api')
    if (layer !== undefined) need('entry')
    if (audiences) need('entry', 'audience')
    // Field 0 is the channel (audience-match.ts): telling channels apart takes lists of sites.
    if (audiences?.some(audience => typeof audience === 'object' && audience[0])) need('channel')
  }
  if (debug) need('log')
  return needed
}

/** Names in what is put together here begin with $, so that no short name of the runtime's is hidden by one of them (`ownNames`). */
export const ownNames = ['$a', '$p', '$r', '$v', '$f', '$m']

/** A shop's whole script: the runtime, the parts its tests need, and its configuration. Throws when a placeholder is missing. */
export function composeScript(sources: ScriptSources, { tests, ...about }: ScriptConfig): string {
  // Checked at launch too; a script goes nowhere else whatever it was told.
  const config = { ...about, tests: tests.filter(({ to }) => !to || /^https?:$/.test(URL.parse(to, 'https://shop.example')?.protocol ?? '')) }
  const { runtime, parts, acts } = sources
  const needed = partsFor(config)
  const has = (part: ScriptPart) => needed.has(part)
  const members = (['api'] as const).filter(has).map(part => `${part}:${parts[part]}`)
  const places = (['redirect', 'view', 'restore'] as const).filter(has).map(part => parts[part])
  // The first that knows the kind of test says; null is an answer too.
  if (places.length > 0) members.push(`place:${places.length > 1 ? `(...$a)=>{for(const $p of[${places.join()}]){const $r=$p(...$a);if($r!==void 0)return $r}}` : places[0]}`)
  const audience = has('audience') ? `,(${parts.audience})(${has('channel') ? parts.channel : ''})` : ''
  if (has('entry')) members.push(`mayEnter:(${parts.entry})(()=>navigator.userAgent${audience})`)
  const used = changeKinds.filter(kind => config.tests.some(test => test.changes?.some(change => change.kind === kind)))
  const kinds = `{${used.map(kind => `${kind}:${acts[kind]}`).join()}}`
  const shown = [
    has('elements') && `$v.changes[0]&&(${parts.elements})(${kinds},$v.changes,$a)`,
    has('prices') && `$v.prices[0]&&(${parts.prices})($v.prices,$f,$m.visitor)`, has('log') && `(${parts.log})($m,$v)`,
  ].filter(Boolean)
  if (shown.length > 0) members.push(`show:($v,$a,$f,$m)=>[${shown.join()}]`)
  const composed = `{${members.join()}}`
  if (!hasConfigPlace(sources)) throw new Error(`The runtime must have one place for ${configPlace}.`)
  // By a flag of the store: what is not read cannot be kept or sent.
  const own = about.isSparing ? runtime.replaceAll('document.referrer', '""') : runtime
  return own.replace(partsPlace, () => composed).replace(configPlace, () => harmless(JSON.stringify(config, (key, value: unknown) => (key === 'name' && value === '' ? undefined : value))))
}

/** JSON that stays what it is where the file is pasted into a page. */
const harmless = (json: string): string => json.replace(/[<\u2028\u2029]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
