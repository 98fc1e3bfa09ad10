import { escapeHtml } from '../../views/document.ts'
import { type Carried, withQuery } from '../http/query.ts'

/**
 * Adds host, shop and code to the address of every link, form and htmx request of the page that
 * stays in the app.
 * This is done on the finished HTML, so that no view has to do it. Quotes are escaped in text and
 * in JSON, so only real attributes match.
 */
export function carry(html: string, carried: Carried): string {
  if (Object.keys(carried).length === 0) return html
  return html.replace(
    own,
    (_, name: string, path: string) =>
      ` ${name}="${escapeHtml(withQuery(path.replaceAll('&amp;', '&'), carried))}"`,
  )
}

/**
 * Matches paths of the app. Without its scheme, an address of another site begins with two slashes,
 * or with a slash and a backslash, which browsers read in the same way.
 */
const own =
  / (href|action|formaction|hx-(?:get|post|put|patch|delete))="(\/(?![/\\]|built\/)[^"]*)"/g
