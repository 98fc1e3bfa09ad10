import { routeOf } from '../../../domain/routes.ts'

/**
 * The addresses of the app in a page that was asked for with these parameters: in links, forms,
 * pictures and htmx requests, and in what the page's own scripts get (`data-to`, props of islands).
 * `kept` has those that carry all parameters on, `lost` the others.
 */
export function carriedAddresses(
  body: string,
  url: string,
  carried: Record<string, string>,
): { kept: string[]; lost: string[] } {
  const found: Record<'kept' | 'lost', string[]> = { kept: [], lost: [] },
    values = Object.entries(carried)
  const sort = (isKept: boolean, what: string) => found[isKept ? 'kept' : 'lost'].push(what)
  const carries = (address: string) => {
    const { searchParams } = new URL(address, 'http://app.test')
    return values.every(([name, value]) => searchParams.get(name) === value)
  }
  for (const [, tag, attributes] of body.matchAll(/<([a-z]+)((?: [^\s"=<>]+(?:="[^"]*")?)+)/g))
    for (const [attribute, , value] of attributes!.matchAll(
      / (href|src|action|formaction|data-to|hx-[a-z]+)="(\/[^"]*)"/g,
    ))
      if (!value!.startsWith('/built/'))
        sort(carries(value!.replaceAll('&amp;', '&')), `${url}: <${tag}${attribute}`)
  for (const [form, tag] of body.matchAll(/(<form[^>]*>)[^]*?<\/form>/g)) {
    if (/method="post"/.test(tag!) || !/action="\//.test(tag!)) continue
    const isKept = values.every(
      ([name, value]) => form.split(` name="${name}" value="${value}"`).length === 2,
    )
    sort(isKept, `${url}: ${tag}`)
  }
  for (const [, props] of body.matchAll(
    /<div[^>]* data-island[^]*?<script type="application\/json">(.*?)<\/script>/g,
  ))
    for (const address of ownAddresses(JSON.parse(props!)))
      sort(carries(address), `${url}: props of an island: ${address}`)
  return found
}

/**
 * Every text in the props that is a path of the app. Others that look like one are the shop's. An
 * island that adds the parameters itself has them beside its path, as `carried`.
 */
function ownAddresses(props: unknown): string[] {
  if (typeof props === 'string')
    return props.startsWith('/tests/') || (/^\/\w/.test(props) && routeOf(props.split('?')[0]!))
      ? [props]
      : []
  if (!props || typeof props !== 'object') return []
  const { carried, page, ...rest } = props as { carried?: Record<string, string>; page?: string }
  const own =
    page === undefined ? [] : carried ? [`${page}?${new URLSearchParams(carried)}`] : [page]
  return [...own, ...Object.values(rest)].flatMap(ownAddresses)
}
