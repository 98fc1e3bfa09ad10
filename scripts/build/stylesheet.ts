import { globSync, readFileSync } from 'node:fs'
import { bundle, transform, type Selector } from 'lightningcss'
import { PurgeCSS } from 'purgecss'
import { appStyleTargets } from './browser-floor.ts'
import { withoutUnusedPico } from './pico.ts'

/** Our own markup, and the elements that the charts' library makes. Its classes, `u-` and a name, it puts together while it runs. */
const ours = ['views/**/*.{ts,tsx}', 'islands/**/*.{ts,tsx}', 'server/page/page.ts'],
  uplot = 'node_modules/uplot/dist/uPlot.esm.js'
const content = [...ours, uplot]

/** This file and all it imports in one, with every rule. */
export const wholeStylesheet = (filename = 'public/app.css'): Uint8Array =>
  bundle({ filename, targets: appStyleTargets }).code

/** The same, minified and without the rules that no view and no island has a use for. */
export async function stylesheet(filename = 'public/app.css'): Promise<Uint8Array> {
  const [purged] = await new PurgeCSS().purge({
    css: [{ raw: Buffer.from(trimmedStylesheet(filename)).toString() }],
    content,
    // Set by views under other names, by scripts, or by the browser.
    dynamicAttributes: [
      'aria-busy',
      'aria-current',
      'aria-disabled',
      'aria-invalid',
      'aria-sort',
      'checked',
      'data-tone',
      'disabled',
      'hidden',
      'open',
      'readonly',
      'title',
      'value',
    ],
    defaultExtractor: namesIn,
    keyframes: true,
    safelist: {
      standard: ['html', 'body', ':is', ':where', ':has', ':not', /^u-/, ...beginnings()],
      variables: sheetVariables(),
    },
    variables: true,
  })
  const isUsed = usedAttributes()
  return transform({
    filename: 'app.css',
    code: Buffer.from(purged!.css),
    targets: appStyleTargets,
    minify: true,
    visitor: { Selector: selector => (isDead(selector, isUsed) ? [] : selector) },
  }).code
}

/** Without targets: with them, a visitor makes lightningcss put lists of selectors into an `:is()` that browsers take for empty. */
export const trimmedStylesheet = (filename = 'public/app.css'): Uint8Array =>
  transform({
    filename: 'app.css',
    code: Buffer.from(wholeStylesheet(filename)),
    visitor: withoutUnusedPico(tokens()),
  }).code

/** What our own values are called, whichever of them Pico has a value for, too. */
const tokens = (): Set<string> =>
  new Set(readFileSync('public/styles/tokens.css', 'utf8').match(/--[\w-]+(?=:)/g))

/** The common stylesheet sets what the pages' own ones go by. */
const sheetVariables = (): string[] =>
  globSync('public/sheets/*.css').flatMap(
    file => readFileSync(file, 'utf8').match(/--[\w-]+/g) ?? [],
  )

/** Elements, attributes, and every word of every string: class names are there, comments and prose are not. */
function namesIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm, '')
  const texts = [
    ...code.matchAll(/<([a-z][\w-]*)|\b([a-z][\w-]*)=|'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g),
  ].flatMap(match => match.slice(1))
  return texts.flatMap(text => text?.match(/[\w-]+/g) ?? [])
}

/** Class names that are put together while the page runs: of `chart-pause-${kind}` the source holds only the beginning. */
const beginnings = (): RegExp[] =>
  [...new Set(allOf(ours).match(/[a-z][\w-]*-(?=\$\{)/g))].map(name => new RegExp(`^${name}`))

const allOf = (files: string[]): string =>
  globSync(files)
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')

type IsUsed = (name: string, value: string) => boolean
/** Pico styles every role and kind of input there is. States (aria-*, open, disabled …) may be set at any time and are not asked about. */
function usedAttributes(): IsUsed {
  const source = allOf(ours)
  return (name, value) => {
    if (name === 'data-theme') return false
    return (
      (name !== 'role' && name !== 'type') ||
      new RegExp(`\\b${name}=(?:["']${value}["']|\\{[^}]*'${value}')`).test(source)
    )
  }
}

/** A selector that names what no page has. Alternatives in :is() and :where() are dead together or not at all. */
const isDead = (selector: Selector, isUsed: IsUsed): boolean =>
  selector.some(part => {
    if (part.type === 'attribute')
      return part.operation?.operator === 'equal' && !isUsed(part.name, part.operation.value)
    if (part.type !== 'pseudo-class') return false
    return (
      part.kind === 'host' ||
      ((part.kind === 'is' || part.kind === 'where') &&
        part.selectors.every(inner => isDead(inner, isUsed)))
    )
  })
