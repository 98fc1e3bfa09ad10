import { escapeHtml } from '../../views/document.ts'
import { type Carried, withQuery } from '../http/query.ts'

/**
 * Lays host, shop and code on every link, form and request of the page that stays in the app. Done on the finished
 * text, so that no view has to think of it; quotes are escaped in text and in JSON alike, so only real attributes match.
 */
export function carry(html: string, carried: Carried): string {
  if (Object.keys(carried).length === 0) return html
  return html.replace(
    own,
    (_, name: string, path: string) =>
      ` ${name}="${escapeHtml(withQuery(path.replaceAll('&amp;', '&'), carried))}"`,
  )
}

/** An address of another site that is written without its scheme begins with two slashes, or with what browsers read as such. */
const own =
  / (href|action|formaction|hx-(?:get|post|put|patch|delete))="(\/(?![/\\]|built\/)[^"]*)"/g
