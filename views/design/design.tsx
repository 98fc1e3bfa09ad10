import type { ComponentChildren } from 'preact'
import { paths } from '../../domain/paths.ts'

/** A component in one state, as its screens draw it. */
export type Specimen = { caption: string; view: ComponentChildren }
/** Components of one kind. `isWide`: they need the page's whole width, so dark is below light. */
export type DesignGroup = {
  id: string
  title: string
  note: string
  isWide?: true
  specimens: Specimen[]
}

export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]
/** Rendered once for each scheme, so that no two elements of the page share an id. */
export type DrawnGroup = Omit<DesignGroup, 'specimens'> & {
  specimens: { caption: string; html: Record<Scheme, string> }[]
}

/**
 * The page's parts, each a page of its own, with the stylesheets that its components need besides
 * the common one.
 */
export const designParts = {
  tokens: { label: 'Tokens', sheets: [] },
  components: { label: 'Components', sheets: [] },
  results: { label: 'Results', sheets: ['report'] },
  reports: { label: 'Reports', sheets: ['report'] },
  screens: { label: 'Screens', sheets: ['editor', 'kinds'] },
  editor: { label: 'Editor', sheets: ['editor'] },
  editing: { label: 'Editor fields', sheets: ['editor'] },
  plans: { label: 'Plans', sheets: ['plans'] },
} as const satisfies Record<string, { label: string; sheets: readonly string[] }>
export type DesignPart = keyof typeof designParts
const partPath = (part: DesignPart): string =>
  part === 'tokens' ? paths.design() : `${paths.design()}?part=${part}`

/** Everything that screens are made of, in every state, light beside dark. */
export const Design = ({
  part,
  groups,
  sheets,
}: {
  part: DesignPart
  groups: DrawnGroup[]
  /** Addresses of stylesheets. */ sheets: string[]
}) => (
  <>
    {sheets.map(href => (
      <link key={href} rel="stylesheet" href={href} />
    ))}
    <div class="page-head">
      <h1>Design system</h1>
      <p class="note page-facts">
        Every token and component, in each state, drawn by the views of the screens. Nothing drawn
        here leads anywhere or changes anything; figures are examples, worked out by the rules of
        the product.
      </p>
    </div>
    <nav class="tabs" aria-label="Design system">
      {(Object.keys(designParts) as DesignPart[]).map(name => (
        <a key={name} href={partPath(name)} aria-current={name === part ? 'page' : undefined}>
          {designParts[name].label}
        </a>
      ))}
    </nav>
    <nav class="design-contents" aria-label="Components">
      {groups.map(({ id, title }) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
    </nav>
    {groups.map(group => (
      <Group key={group.id} {...group} />
    ))}
  </>
)

/** Id of a specimen's caption, unique on the page. */
export const captionId = (group: string, number: number, scheme: Scheme): string =>
  `${group}-${number}-${scheme}`
const panes: Record<Scheme, { label: string; class: string }> = {
  light: { label: 'Light', class: 'design-pane design-light' },
  dark: { label: 'Dark', class: 'design-pane design-dark' },
}

const Group = ({ id, title, note, isWide, specimens }: DrawnGroup) => (
  <section class="stack design-group" id={id} aria-labelledby={`${id}-title`}>
    <div class="design-head">
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="note">{note}</p>
    </div>
    <div class={isWide ? 'stack' : 'design-pair'}>
      {schemes.map(scheme => (
        <div key={scheme} class={panes[scheme].class}>
          <p class="note" id={`${id}-${scheme}`}>
            <b>{panes[scheme].label}</b>
          </p>
          {specimens.map(({ caption, html }, i) => (
            <figure key={caption} class="design-specimen">
              <figcaption class="note" id={captionId(id, i, scheme)}>
                {caption}
              </figcaption>
              <div dangerouslySetInnerHTML={{ __html: html[scheme] }} />
            </figure>
          ))}
        </div>
      ))}
    </div>
  </section>
)
