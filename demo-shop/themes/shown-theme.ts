import { pageTemplate } from '../../domain/events/page-facts.ts'
import { assetsOf, type Asset } from './theme-assets.ts'
import type { ThemeDrawing } from './theme-drawing.ts'
import type { ThemeFiles } from './theme-files.ts'
import { compileTheme, type PageAsk, type PageData } from './theme.ts'

/**
 * `currency`: of the prices in the data. `contentForHeader` gets the name of the template that is
 * drawn, as pages give it.
 */
export type PageFrame = { currency: string; contentForHeader: (template: string) => string }
export type Theme = {
  id: string
  /**
   * Draws the page's whole HTML. `template` is a type with an optional suffix; a template that the
   * theme lacks falls back to the type's own.
   */
  render: (
    template: { type: string; suffix?: string | undefined },
    data: PageData,
    frame: PageFrame,
  ) => string | Promise<string>
  asset: (name: string) => Asset | undefined
}

/**
 * A theme to show. When all of its Liquid came with the shop, it is drawn in this process,
 * otherwise in a separate one. It is compiled first, here or there. Throws HttpProblem 422, which
 * names the file, when the files do not make a theme.
 */
export async function checkedTheme(
  id: string,
  files: ThemeFiles,
  starting: ThemeFiles,
  drawing: ThemeDrawing,
): Promise<Theme> {
  if (!isOwnLiquid(files, starting)) await drawing.check({ id, files })
  return shownTheme(id, files, starting, drawing)
}

/** The same for files that were checked when they were stored. */
export function shownTheme(
  id: string,
  files: ThemeFiles,
  starting: ThemeFiles,
  drawing: ThemeDrawing,
): Theme {
  const assets = assetsOf(files)
  const there = { id, files }
  const draw: (page: PageAsk) => string | Promise<string> = isOwnLiquid(files, starting)
    ? compileTheme(id, files)
    : page => drawing.draw(there, page)
  return {
    id,
    asset: file => assets.get(file),
    render: ({ type, suffix }, data, { currency, contentForHeader }) => {
      const isThere =
        suffix &&
        ['json', 'liquid'].some(ending => files.has(`templates/${type}.${suffix}.${ending}`))
      const chosen = isThere ? suffix : null
      return draw({
        type,
        suffix: chosen,
        data,
        currency,
        header: contentForHeader(pageTemplate(type, chosen ?? '')),
      })
    },
  }
}

/**
 * Whether all the Liquid in these files is the shop's own. JSON holds no code, and a template may
 * be a copy of another template.
 */
export function isOwnLiquid(files: ThemeFiles, starting: ThemeFiles): boolean {
  const copied = new Set(
    [...starting].filter(([name]) => name.startsWith('templates/')).map(([, body]) => body),
  )
  return [...files].every(
    ([name, body]) =>
      !name.endsWith('.liquid') ||
      starting.get(name) === body ||
      (name.startsWith('templates/') && copied.has(body)),
  )
}
