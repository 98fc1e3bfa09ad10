import { renderIsland, renderPart, type Islands, type Parts } from '../islands/render.ts'

/** JSON that is safe inside an HTML page. */
export const jsonText = (value: unknown): string => JSON.stringify(value).replace(/</g, '\\u003c')

/**
 * An island in a page: React's own markup, then its props. `hx-ignore` keeps htmx from changing
 * what React will hydrate. With `isLater` the page loads its code at the first sign of a person.
 */
export function Island<N extends keyof Islands>({
  id,
  name,
  props,
  isLater = false,
}: {
  id: string
  name: N
  props: Islands[N]
  isLater?: boolean
}) {
  return (
    <>
      <div
        id={id}
        data-island={name}
        data-later={isLater || undefined}
        hx-ignore
        dangerouslySetInnerHTML={{ __html: renderIsland(name, props, id) }}
      />
      <script type="application/json" dangerouslySetInnerHTML={{ __html: jsonText(props) }} />
    </>
  )
}

/** The content of an element that shows a part of an island, as it is at first. */
export const drawn = <N extends keyof Parts>(name: N, props: Parts[N]) => ({
  dangerouslySetInnerHTML: { __html: renderPart(name, props) },
})
