import { globSync, readFileSync } from 'node:fs'
import { bundle, transform, type Selector } from 'lightningcss'
import { PurgeCSS } from 'purgecss'
import { appStyleTargets } from './browser-floor.ts'
import { withoutUnusedPico } from './pico.ts'

/**
 * Sources of our markup, and of the elements that the chart library creates. It builds its class
 * names (`u-…`) at run time.
 */
const ours = ['views/**/*.{ts,tsx}', 'islands/**/*.{ts,tsx}', 'server/page/page.ts'],
  uplot = 'node_modules/uplot/dist/uPlot.esm.js'
const content = [...ours, uplot]

/** This stylesheet with all its imports, with every rule. */
export const wholeStylesheet = (filename = 'public/app.css'): Uint8Array =>
  bundle({ filename, targets: appStyleTargets }).code

/** The same, minified, and without rules that no view and no island needs. */
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

/**
 * The stylesheet without Pico's unused parts. No targets here: with targets, a visitor makes
 * lightningcss put lists of selectors into an `:is()` that browsers treat as empty.
 */
export const trimmedStylesheet = (filename = 'public/app.css'): Uint8Array =>
  transform({
    filename: 'app.css',
    code: Buffer.from(wholeStylesheet(filename)),
    visitor: withoutUnusedPico(tokens()),
  }).code

/** Names of our own variables. Pico sets some of them too. */
const tokens = (): Set<string> =>
  new Set(readFileSync('public/styles/tokens.css', 'utf8').match(/--[\w-]+(?=:)/g))

/** Variables that the pages' own sheets read. The common stylesheet sets them. */
const sheetVariables = (): string[] =>
  globSync('public/sheets/*.css').flatMap(
    file => readFileSync(file, 'utf8').match(/--[\w-]+/g) ?? [],
  )

/**
 * Finds elements, attributes, and every word of every string. This includes class names, and
 * excludes comments and prose.
 */
function namesIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm, '')
  const texts = [
    ...code.matchAll(/<([a-z][\w-]*)|\b([a-z][\w-]*)=|'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g),
  ].flatMap(match => match.slice(1))
  return texts.flatMap(text => text?.match(/[\w-]+/g) ?? [])
}

/**
 * Class names that are built while the page runs: for `chart-pause-${kind}` the source only
 * contains the beginning.
 */
const beginnings = (): RegExp[] =>
  [...new Set(allOf(ours).match(/[a-z][\w-]*-(?=\$\{)/g))].map(name => new RegExp(`^${name}`))

const allOf = (files: string[]): string =>
  globSync(files)
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')

type IsUsed = (name: string, value: string) => boolean
/**
 * Checks whether our markup uses an attribute's value, because Pico styles every role and every
 * kind of input. States (aria-*, open, disabled …) may be set at any time, so they always count as
 * used.
 */
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

/**
 * Whether a selector matches nothing on our pages. Alternatives in :is() and :where() are only dead
 * when all are dead.
 */
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
