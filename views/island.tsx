import { renderIsland, type Islands } from '../islands/render.ts'

/** JSON that is safe inside an HTML page. */
export const jsonText = (value: unknown): string => JSON.stringify(value).replace(/</g, '\\u003c')

/**
 * An island in a page: React's own markup, then its props. `hx-ignore` keeps htmx from changing
 * what React will hydrate.
 */
export function Island<N extends keyof Islands>({
  id,
  name,
  props,
}: {
  id: string
  name: N
  props: Islands[N]
}) {
  return (
    <>
      <div
        id={id}
        data-island={name}
        hx-ignore
        dangerouslySetInnerHTML={{ __html: renderIsland(name, props, id) }}
      />
      <script type="application/json" dangerouslySetInnerHTML={{ __html: jsonText(props) }} />
    </>
  )
}
