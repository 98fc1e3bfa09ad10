import { globSync, readFileSync } from 'node:fs'
import { transform, type Selector } from 'lightningcss'
import t from 'tap'
import { stylesheet, trimmedStylesheet } from '../../scripts/build/stylesheet.ts'

// The build removes unused rules. Elements that only scripts make are the easiest to miss, and a
// missing rule is seen only by a person who looks at that part of a page on that kind of screen.

const read = (...files: string[]): string =>
  globSync(files)
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(match => match.slice(1).filter(Boolean))

const scripts = read('islands/**/*.{ts,tsx}'),
  uplot = read('node_modules/uplot/dist/uPlot.esm.js')
/**
 * All words in string literals: an element may get its class from an attribute, property, list,
 * template or table.
 */
const classWords = (source: string): string[] =>
  all(source, /'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g).flatMap(text => text.match(/[\w-]+/g) ?? [])
const made = {
  elements: new Set([
    ...all(scripts, /<([a-z][a-z0-9]*)[\s/>]/g),
    ...all(
      scripts + uplot,
      /(?:createElement|createElementNS|placeTag)\((?:'http[^']*', )?['"]([a-z0-9]+)['"]/g,
    ),
  ]),
  classes: new Set([
    ...classWords(scripts),
    ...all(uplot, /pre \+ "([\w-]+)"/g).map(name => `u-${name}`),
  ]),
  /** Beginnings of classes with a variable end, such as `chart-pause-${kind}`. */
  beginnings: [...new Set(all(scripts, /([a-z][\w-]*-)(?=\$\{)/g))],
}
const isMade = {
  class: (name: string) =>
    made.classes.has(name) || made.beginnings.some(each => name.startsWith(each)),
  type: (name: string) => made.elements.has(name),
}
/** A selector may also ask for anything of the page around what a script makes. */
const page = read('views/**/*.{ts,tsx}', 'server/page/page.ts')
const words = new Set(page.match(/[\w-]+/g)),
  beginnings = all(page, /([a-z][\w-]*-)(?=\$\{)/g),
  tags = new Set(['html', 'body', ...all(page, /<([a-z][a-z0-9]*)[\s/>]/g)])
const isThere = {
  class: (name: string) => words.has(name) || beginnings.some(each => name.startsWith(each)),
  type: (name: string) => tags.has(name),
}

/**
 * Each selector of a stylesheet with its classes and elements. Left out are selectors with
 * attributes or alternatives, which the build trims by other rules: browser tests compare their
 * result.
 */
function selectorsOf(code: Uint8Array): Map<string, { kind: 'class' | 'type'; name: string }[]> {
  const found = new Map<string, { kind: 'class' | 'type'; name: string }[]>()
  const keep = (selector: Selector) =>
    selector.some(
      part => part.type === 'attribute' || (part.type === 'pseudo-class' && 'selectors' in part),
    ) ||
    found.set(
      JSON.stringify(selector),
      selector.flatMap(part =>
        part.type === 'class' || part.type === 'type' ? [{ kind: part.type, name: part.name }] : [],
      ),
    )
  transform({
    filename: 'sheet.css',
    code: Buffer.from(code),
    minify: true,
    visitor: {
      Rule: {
        style: rule => {
          rule.value.selectors.forEach(keep)
        },
      },
    },
  })
  return found
}

t.test(
  'the build loses no rule for elements that an island, another script or the chart library makes',
  async t => {
    t.ok(
      isMade.type('canvas') &&
        isMade.class('u-over') &&
        isMade.class('chart-pause-partly') &&
        isMade.class('preload-error'),
      'the elements and classes that scripts make are found',
    )
    for (const file of ['public/app.css', ...globSync('public/sheets/*.css')]) {
      const whole = selectorsOf(trimmedStylesheet(file)),
        built = selectorsOf(await stylesheet(file))
      const lost = [...whole].filter(
        ([text, parts]) =>
          !built.has(text) &&
          parts.some(({ kind, name }) => isMade[kind](name)) &&
          parts.every(({ kind, name }) => isMade[kind](name) || isThere[kind](name)),
      )
      t.same(
        lost.map(([text]) => text),
        [],
        file,
      )
    }
  },
)

t.test('no width of a window falls between two media queries', async t => {
  const limits = all(read('public/**/*.css'), /@media[^{]*\((?:max|min)-width: (\d+)px/g)
  t.ok(limits.length > 0)
  // A zoomed window can be 1023.5 px wide, so the other side of a limit is `(width < 1024px)`.
  t.same(
    limits.filter(limit => Number(limit) % 10 !== 0),
    [],
  )
})
