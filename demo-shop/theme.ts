import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Liquid, type TagToken, type TopLevelToken } from 'liquidjs'
import { formatMoney } from '../domain/money.ts'
import { shop } from './shop.ts'

type Settings = Record<string, unknown>
type SectionData = { type: string; settings?: Settings; blocks?: Record<string, { type: string; settings?: Settings }>; block_order?: string[] }
type TemplateData = { sections: Record<string, SectionData>; order: string[] }
type SettingsData = { current: Settings & { sections: Record<string, SectionData> } }
export type Asset = { body: Buffer; type: string }

/** What a page is drawn from: Liquid objects by name. */
export type PageData = { page_title: string; page_description?: string; [name: string]: unknown }
export type Theme = {
  id: string
  name: string
  /** The page's whole HTML. `template` is a type with an optional suffix; one the theme lacks falls back to the type's own. */
  render: (template: { type: string; suffix?: string | undefined }, data: PageData, contentForHeader: string) => string
  asset: (name: string) => Asset | undefined
}

const folder = new URL('./themes/', import.meta.url)
const types: Record<string, string> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' }

/** The theme in themes/<name>/, read once. A section's defaults stand in its `{% schema %}`, a template's settings in its JSON. */
export function loadTheme(id: string, name: string): Theme {
  const root = new URL(`${name}/`, folder)
  const files = (sub: string) => readdirSync(new URL(`${sub}/`, root)).map(file => [file, readFileSync(new URL(`${sub}/${file}`, root))] as const)
  const json = <T>(file: string) => JSON.parse(readFileSync(new URL(file, root), 'utf8')) as T

  const assets = new Map(files('assets').map(([file, body]) => [file, { body, type: types[file.split('.').at(-1)!] ?? 'application/octet-stream' }]))
  const templates = new Map(files('templates').map(([file, body]) => [file.replace(/\.json$/, ''), JSON.parse(body.toString()) as TemplateData]))
  const {
    current: { sections: fixedSections, ...settings },
  } = json<SettingsData>('config/settings_data.json')

  const liquid = new Liquid({
    outputEscape: 'escape',
    strictFilters: true,
    templates: Object.fromEntries(files('snippets').map(([file, body]) => [file.replace(/\.liquid$/, ''), body.toString()])),
  })
  const defaults = new Map<string, Settings>()
  let parsed = ''
  liquid.registerTag('schema', {
    parse(_: TagToken, rest: TopLevelToken[]) {
      const text = []
      for (let token = rest.shift(); token; token = rest.shift()) {
        if ((token as TagToken).name === 'endschema') {
          defaults.set(parsed, (JSON.parse(text.join('')) as { settings?: Settings }).settings ?? {})
          return
        }
        text.push(token.getText())
      }
      throw new Error(`${parsed}: {% schema %} is not closed`)
    },
    render: () => '',
  })
  liquid.registerFilter('money', (minor: number) => formatMoney(minor, shop.currency))
  liquid.registerFilter('asset_url', (file: string) => {
    const asset = assets.get(file)
    if (!asset) throw new Error(`${name} has no asset ${file}`)
    return `/assets/${id}/${file}?v=${createHash('sha256').update(asset.body).digest('hex').slice(0, 8)}`
  })
  const sections = new Map(
    files('sections').map(([file, body]) => {
      parsed = file.replace(/\.liquid$/, '')
      return [parsed, liquid.parse(body.toString())]
    }),
  )
  const layout = liquid.parse(readFileSync(new URL('layout/theme.liquid', root), 'utf8'))

  const drawSection = (key: string, { type, settings: own, blocks = {}, block_order = Object.keys(blocks) }: SectionData, data: object): string => {
    const template = sections.get(type)
    if (!template) throw new Error(`${name} has no section ${type}`)
    const section = { id: key, type, settings: { ...defaults.get(type), ...own }, blocks: block_order.map(block => ({ id: block, ...blocks[block] })) }
    return `<div id="section-${key}" class="section section-${type}">${liquid.renderSync(template, { ...data, section }) as string}</div>`
  }

  return {
    id,
    name,
    asset: file => assets.get(file),
    render: ({ type, suffix }, data, contentForHeader) => {
      const chosen = suffix && templates.has(`${type}.${suffix}`) ? suffix : null
      const template = templates.get(chosen ? `${type}.${chosen}` : type)!
      const scope = { ...data, settings, template: { name: type, suffix: chosen } }
      const fixed = Object.fromEntries(Object.entries(fixedSections).map(([key, section]) => [key, drawSection(key, section, scope)]))
      return liquid.renderSync(layout, {
        ...scope,
        content_for_header: contentForHeader,
        fixed,
        content_for_layout: template.order.map(key => drawSection(key, template.sections[key]!, scope)).join('\n'),
      }) as string
    },
  }
}
