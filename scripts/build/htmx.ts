import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

/**
 * Methods of htmx that no page needs, by what they are for, and what their body is instead. A
 * quarter of htmx: every page loads it. What pages must not use because of that is in
 * test/house/htmx.test.ts.
 */
const unneeded: Record<string, Record<string, string>> = {
  morphing: {
    '#morph': '',
    '#morphChildren': '',
    '#matchesUpcomingSibling': '',
    '#findBestMatch': '',
    '#isSoftMatch': '',
    '#removeNode': '',
    '#morphNode': '',
    '#populateIdMapWithTree': '',
    '#createIdMaps': '',
    '#createPersistentIds': '',
  },
  // Our Content-Security-Policy forbids it.
  'code in attributes': {
    '#handleHxOnAttributes': '',
    '#executeJavaScript': '',
    '#apiMethods': '',
    '#extractJavascriptContent': '',
    '#extractFilter': 'return [str]',
  },
  extensions: { registerExtension: '', '#triggerExtensions': 'return true' },
  'transitions and indicators': {
    '#startCSSTransitions': 'return []',
    '#submitTransitionTask': '',
    '#processTransitionQueue': '',
    '#initRequestIndicatorCss': '',
    '#showIndicators': '',
    '#hideIndicators': '',
  },
  'other attributes, headers and selectors': {
    '#handleHxHeaders': '',
    '#disableElements': '',
    '#enableElements': '',
    '#initializeAbortListener': '',
    '#handleTriggerHeader': '',
    '#processPartials': 'return []',
    '#scanForwardQuery': '',
    '#scanBackwardsQuery': '',
    '#scanUntilComparison': '',
    '#maybeAdjustMetaCharacter': 'return string',
    onLoad: '',
    on: '',
  },
}

/** The same for parts of methods: from the first text up to the second. */
const unneededParts: [from: string, to: string][] = [
  // For code in attributes htmx looks at every element, and for extensions it binds its methods.
  ['this.#hxOnQuery = ', 'let init = '],
  ['let hxOnNodes = ', 'for (let elt of this.#queryEltAndDescendants(root, this.#actionSelector))'],
  ['// Intersect/revealed: ', '// Every: '],
  ['if (filter) {', '// a new trigger replaces'],
  ['} else if (spec.throttle) {', '}\n\n                // Guarded: '],
  ['// Handle confirmation', '// initialize timeout'],
  ['if (ctx.hx.location) {', '}\n\n        #initTimeout('],
  ["} else if (swapStyle === 'innerMorph')", "} else if (swapStyle === 'beforebegin')"],
]

/** The source of htmx without what no page needs. Fails if htmx no longer has one of these. */
export function neededHtmx(source: string): string {
  let code = source
  for (const [name, body] of Object.values(unneeded).flatMap(Object.entries<string>)) {
    const method = new RegExp(`^( {8}(?:async )?${name}\\(.*\\) \\{\\n)[^]*?^ {8}\\}$`, 'gm')
    if (code.match(method)?.length !== 1) throw new Error(`htmx has no method ${name} any more.`)
    code = code.replace(method, (_, head: string) => `${head}${body}}`)
  }
  for (const [from, to] of unneededParts) {
    const start = code.indexOf(from),
      end = code.indexOf(to, start)
    if (start < 0 || end < 0) throw new Error(`htmx has no part “${from}” any more.`)
    code = code.slice(0, start) + code.slice(end)
  }
  return code
}

/** Bundles only what pages need of htmx. */
export const onlyNeededHtmx: Plugin = {
  name: 'only needed htmx',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/htmx\.esm\.js$/ }, ({ path }) => ({
      contents: neededHtmx(readFileSync(path, 'utf8')),
      loader: 'js',
    })),
}
