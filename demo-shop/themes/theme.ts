import {
  Liquid,
  type Context,
  type TagToken,
  type Template as LiquidTemplate,
  type TopLevelToken,
} from 'liquidjs'
import { decimalMoney, formatMoney } from '../../domain/money.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Collection } from '../catalogue/collections.ts'
import type { Product, ProductVariant } from '../catalogue/product.ts'
import { assetsOf } from './theme-assets.ts'
import {
  parseSettings,
  parseTemplate,
  refuse,
  type SectionData,
  type Settings,
  type TemplateData,
  type ThemeFiles,
} from './theme-files.ts'

/** What a page is drawn from: Liquid objects by name. */
export type PageData = {
  page_title: string
  page_description?: string
  product?: Product
  variant?: ProductVariant | undefined
  collection?: Collection | undefined
  collections?: Collection[]
  related?: Product[]
  picks?: Product[]
  search?: { products: Product[]; [name: string]: unknown }
  [name: string]: unknown
}
/**
 * A page to draw. `suffix`: of a template that the theme has; null for the type's own. `header`:
 * what the shop puts first into the head.
 */
export type PageAsk = {
  type: string
  suffix: string | null
  data: PageData
  currency: string
  header: string
}
/** Draws a page's whole HTML. */
export type DrawPage = (page: PageAsk) => string

/** The variables that Liquid sees on a page. */
type Scope = { currency: string; [name: string]: unknown }

/** Types of page that every theme must be able to draw. */
export const pageTypes = [
  'index',
  'product',
  'collection',
  'page',
  'blog',
  'article',
  'cart',
  'search',
  '404',
] as const
const needed = ['layout/theme.liquid', 'config/settings_data.json']
const inLayout = ['content_for_header', 'content_for_layout']
/**
 * A page that needs more than this is not drawn to its end: milliseconds for the whole page, and
 * memory, as liquidjs counts it, for each of its parts. The time limit does not interrupt a filter,
 * and a filter can use more memory than is counted. So Liquid that is not ours is drawn in a
 * separate process (theme-process.ts).
 */
const drawTime = 2_000,
  drawMemory = 5_000_000

/**
 * Compiles a theme and returns the function that draws its pages. A section's defaults are in its
 * `{% schema %}`, a template's settings in its JSON. Throws HttpProblem 422, which names the file,
 * when the files do not make a theme.
 */
export function compileTheme(id: string, files: ThemeFiles): DrawPage {
  const inFolder = (folder: string) =>
    [...files]
      .filter(([name]) => name.startsWith(`${folder}/`))
      .map(([name, body]) => [name, name.slice(folder.length + 1), body] as const)
  const missing = needed.find(name => !files.has(name))
  if (missing) throw refuse(missing, 'The theme needs this file.')

  const assets = assetsOf(files)
  const snippets = Object.fromEntries(
    inFolder('snippets').map(([, file, body]) => [file.replace(/\.liquid$/, ''), body]),
  )
  const liquid = new Liquid({
    outputEscape: 'escape',
    strictFilters: true,
    cache: true,
    templates: snippets,
  })
  const defaults = new Map<string, Settings>()
  let parsing = ''
  liquid.registerTag('schema', {
    parse(_: TagToken, rest: TopLevelToken[]) {
      const text = []
      for (let token = rest.shift(); token; token = rest.shift()) {
        if ((token as TagToken).name === 'endschema') {
          const { settings = {} } = (JSON.parse(text.join('')) ?? {}) as {
            settings?: Settings | { id?: string; default?: unknown }[]
          }
          // The settings are defaults by name, or a list of fields that each have a default.
          defaults.set(
            parsing,
            Array.isArray(settings)
              ? Object.fromEntries(
                  settings.flatMap(field => (field.id ? [[field.id, field.default]] : [])),
                )
              : settings,
          )
          return
        }
        text.push(token.getText())
      }
      throw new Error('{% schema %} is not closed')
    },
    render: () => '',
  })
  // The currency is a global, because a snippet sees nothing else of its page.
  type Drawing = { context: Context }
  const currencyOf = ({ context }: Drawing) => (context.globals as { currency: string }).currency
  liquid.registerFilter('money', function (this: Drawing, minor: number) {
    return formatMoney(minor, currencyOf(this))
  })
  liquid.registerFilter('decimal', function (this: Drawing, minor: number) {
    return decimalMoney(minor, currencyOf(this))
  })
  liquid.registerFilter(
    'asset_url',
    (file: string) =>
      `/assets/${id}/${encodeURIComponent(file)}${assets.has(file) ? `?v=${assets.get(file)!.version}` : ''}`,
  )
  const parse = (name: string, body: string): LiquidTemplate[] => {
    parsing = name
    const unknown = [...body.matchAll(/\{%-?\s*render\s+(?:"([^"]*)"|'([^']*)')/g)]
      .map(([, double, single]) => double ?? single!)
      .find(snippet => !Object.hasOwn(snippets, snippet))
    if (unknown !== undefined) throw refuse(name, `The theme has no snippet “${unknown}”.`)
    try {
      return liquid.parse(body)
    } catch (error) {
      throw error instanceof HttpProblem ? error : refuse(name, (error as Error).message)
    }
  }

  for (const [name, , body] of inFolder('snippets')) parse(name, body)
  const sections = new Map(
    inFolder('sections').map(([name, file, body]) => [
      file.replace(/\.liquid$/, ''),
      { name, template: parse(name, body) },
    ]),
  )
  const layoutText = files.get('layout/theme.liquid')!
  const unused = inLayout.find(name => !layoutText.includes(name))
  if (unused) throw refuse('layout/theme.liquid', `The layout must draw {{ ${unused} }}.`)
  const layout = parse('layout/theme.liquid', layoutText)
  const { settings, fixed: fixedSections } = parseSettings(
    'config/settings_data.json',
    files.get('config/settings_data.json')!,
    sections,
  )
  // When a template has two files, the JSON file counts.
  const templates = new Map<string, TemplateData | LiquidTemplate[]>()
  for (const [name, file, body] of inFolder('templates')) {
    const stem = file.replace(/\.(json|liquid)$/, '')
    if (file.endsWith('.json')) templates.set(stem, parseTemplate(name, body, sections))
    else if (!files.has(`templates/${stem}.json`)) templates.set(stem, parse(name, body))
  }
  const undrawn = pageTypes.find(type => !templates.has(type))
  if (undrawn) throw refuse(`templates/${undrawn}.json`, 'The theme needs this template.')

  const drawSection = (
    key: string,
    { type, settings: own, blocks = {}, block_order = Object.keys(blocks), disabled }: SectionData,
    scope: Scope,
    until: number,
  ): string => {
    if (disabled) return ''
    const { name, template } = sections.get(type)!
    const section = {
      id: key,
      type,
      settings: { ...defaults.get(name), ...own },
      blocks: block_order
        .filter(block => !blocks[block]!.disabled)
        .map(block => ({ id: block, ...blocks[block] })),
    }
    return `<div id="section-${key}" class="section section-${type}">${draw(name, template, { ...scope, section }, until)}</div>`
  }
  /** An error in one file is shown at its place, and the rest of the page is drawn. */
  const draw = (name: string, template: LiquidTemplate[], scope: Scope, until: number): string => {
    try {
      return liquid.renderSync(template, scope, {
        globals: { currency: scope.currency },
        ...limits(until),
      }) as string
    } catch (error) {
      return escaped(
        `Liquid error (${name}): ${(error as Error).message.split(', file')[0]!.split(', line')[0]!}`,
      )
    }
  }

  return ({ type, suffix, data, currency, header }) => {
    const until = performance.now() + drawTime
    const template = templates.get(suffix === null ? type : `${type}.${suffix}`)!
    const scope = { ...data, currency, settings, template: { name: type, suffix } }
    const fixed = Object.fromEntries(
      Object.entries(fixedSections).map(([key, section]) => [
        key,
        drawSection(key, section, scope, until),
      ]),
    )
    const content = Array.isArray(template)
      ? draw(`templates/${type}.liquid`, template, scope, until)
      : template.order
          .map(key => drawSection(key, template.sections[key]!, scope, until))
          .join('\n')
    return draw(
      'layout/theme.liquid',
      layout,
      { ...scope, content_for_header: header, fixed, content_for_layout: content },
      until,
    )
  }
}

/** The time that is left for a page, and the memory limit of one of its parts. */
const limits = (until: number) => ({
  renderLimit: Math.max(0, until - performance.now()),
  memoryLimit: drawMemory,
})

/** Escapes text for HTML, attributes included. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, sign => `&#${sign.codePointAt(0)};`)
