import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import {
  captionId,
  Design,
  type DesignGroup,
  type DesignPart,
  designParts,
  type DrawnGroup,
  schemes,
  type Scheme,
} from '../../views/design/design.tsx'
import { componentGroups } from '../../views/design/design-components.tsx'
import { largerGroups } from '../../views/design/design-components-larger.tsx'
import { editingGroups } from '../../views/design/design-editor.tsx'
import { reportGroups } from '../../views/design/design-report.tsx'
import { resultGroups } from '../../views/design/design-results.tsx'
import { editorGroups } from '../../views/design/design-editor-steps.tsx'
import { planGroups } from '../../views/design/design-plans.tsx'
import { screenGroups } from '../../views/design/design-screens.tsx'
import { tokenGroups } from '../../views/design/design-token-cards.tsx'
import { page } from './page.ts'
import { layoutOf } from './layout.ts'
import { queryOf } from '../http/query.ts'

const groups: Record<DesignPart, DesignGroup[]> = {
  tokens: tokenGroups,
  components: [...componentGroups, ...largerGroups],
  results: resultGroups,
  reports: reportGroups,
  screens: screenGroups,
  editor: editorGroups,
  editing: editingGroups,
  plans: planGroups,
}
const drawn = new Map<DesignPart, DrawnGroup[]>()

/**
 * The page of the design system. The specimens of a part are rendered once, because they depend
 * only on the views.
 */
export function design(app: FastifyInstance): void {
  app.get(paths.design(), (request, reply) => {
    const asked = queryOf(request).get('part') ?? 'tokens'
    if (!Object.hasOwn(designParts, asked))
      throw new HttpProblem(404, 'The design system has no such part.')
    const part = asked as DesignPart
    let specimens = drawn.get(part)
    if (!specimens) drawn.set(part, (specimens = groups[part].map(drawGroup)))
    // A stylesheet without rules has no address.
    const sheets = designParts[part].sheets
      .map(sheet => layoutOf(request).asset(`${sheet}.css`))
      .filter(Boolean)
    return page(request, reply, {}, h(Design, { part, groups: specimens, sheets }))
  })
}

const drawGroup = ({ specimens, ...group }: DesignGroup): DrawnGroup => ({
  ...group,
  specimens: specimens.map(({ caption, view }, i) => {
    const html = renderToString(h('div', {}, view))
    return {
      caption,
      html: Object.fromEntries(
        schemes.map(scheme => [
          scheme,
          specimen(html, { group: group.id, number: i, caption, scheme }),
        ]),
      ) as Record<Scheme, string>,
    }
  }),
})

type Place = { group: string; number: number; caption: string; scheme: Scheme }

/**
 * Makes a specimen of a view's HTML: it may occur several times on the page, and nothing in it
 * acts. Ids and references to them get the specimen's id as a suffix, landmarks get different
 * labels, links lead to the specimen's group, and forms and buttons send nothing.
 */
function specimen(html: string, { group, number, caption, scheme }: Place): string {
  const place = captionId(group, number, scheme)
  const own = (ids: string) =>
    ids
      .split(' ')
      .map(id => `${id}-${place}`)
      .join(' ')
  return (
    html
      // An island is shown as the server renders it: it is not hydrated.
      .replace(/ data-island="[^"]*"(?: data-later(?:="[^"]*")?)? hx-ignore(?:="[^"]*")?/g, '')
      .replace(/<script type="application\/json">[\s\S]*?<\/script>/g, '')
      .replace(
        / (id|for|name|list|data-modal|popovertarget|aria-controls|aria-labelledby|aria-describedby)="([^"]+)"/g,
        (_, name: string, ids: string) => ` ${name}="${own(ids)}"`,
      )
      .replace(
        /(<(?:section|nav|aside|article|form|search|dialog|header)\b[^>]*? aria-label=")([^"]*)"/g,
        (_, before: string, label: string) => `${before}${label}: ${caption}, ${scheme}"`,
      )
      .replace(
        /(<(?:section|nav|aside|form|dialog)\b[^>]*? aria-labelledby="[^"]*)"/g,
        (_, before: string) => `${before} ${place} ${group}-${scheme}"`,
      )
      .replace(/ href="[^"]*"/g, ` href="#${group}"`)
      .replace(/ (?:target|action|formaction|form|method|hx-[\w:-]+)="[^"]*"/g, '')
      .replace(/<form\b/g, '<form method="dialog"')
      .replace(/<button\b(?![^>]* type=)/g, '<button type="button"')
  )
}
