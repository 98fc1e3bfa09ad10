import { escapeHtml } from '../../views/document.ts'
import { type Carried, withQuery } from '../http/query.ts'

/**
 * Adds host, shop and code to the address of every link, form, image and htmx request of the page
 * that stays in the app, and to those that its scripts request (`data-to`). A form that is sent by
 * GET drops the query of its own address, so it gets them as hidden fields.
 * This is done on the finished HTML, so that no view has to do it. Quotes are escaped in text and
 * in JSON, so only real attributes match.
 */
export function carry(html: string, carried: Carried): string {
  const values = Object.entries(carried)
  if (values.length === 0) return html
  return html
    .replace(
      own,
      (_, name: string, path: string) =>
        ` ${name}="${escapeHtml(withQuery(path.replaceAll('&amp;', '&'), carried))}"`,
    )
    .replace(forms, (form, tag: string, rest: string) => {
      if (!isGetOfOurs(tag)) return form
      const hidden = values
        .filter(([name]) => !rest.includes(` name="${name}"`))
        .map(
          ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}"/>`,
        )
      return tag + hidden.join('') + rest
    })
}

/**
 * Matches paths of the app. Without its scheme, an address of another site begins with two slashes,
 * or with a slash and a backslash, which browsers read in the same way.
 */
const own =
  / (href|src|action|formaction|data-to|hx-(?:get|post|put|patch|delete))="(\/(?![/\\]|built\/)[^"]*)"/g
/** The tag of a form, and what it holds. Forms are never inside each other. */
const forms = /(<form(?: [^\s"=<>]+(?:="[^"]*")?)*>)([^]*?<\/form>)/g
const isGetOfOurs = (tag: string): boolean =>
  !/ method="(?!get")/.test(tag) && / action="\/(?![/\\])/.test(tag)
