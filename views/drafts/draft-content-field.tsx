import type { ComponentChildren } from 'preact'
import type { BrandPalette } from '../../domain/brand/brand-palette.ts'
import { hexOf, parseColour } from '../../domain/colour.ts'
import { contentOffers, shopPicture } from '../../domain/drafts/content-offers.ts'
import type { SettingKind } from '../../domain/drafts/section-schema.ts'
import { longestText } from '../../domain/themes/template-content.ts'
import type { ShopPage } from './draft-editor.tsx'
import type { Bound } from './draft-field.tsx'

export type Offers = {
  pages: ShopPage[]
  /** Addresses of the pictures on the pages of both arms. */
  pictures: string[]
  origin: string
  /** Where an uploaded picture is sent. */
  uploads: string
  brand: BrandPalette['colours']
}
const offered = ['link', 'page', 'product', 'collection'] as const satisfies SettingKind[]
type Offered = (typeof offered)[number]
export const isOffered = (kind: SettingKind): kind is Offered =>
  (offered as readonly SettingKind[]).includes(kind)

const hints: Record<Offered, string> = {
  link: 'Search pages, or type an address',
  page: 'Search pages',
  product: 'Search products',
  collection: 'Search collections',
}

/** The lists that the fields offer, once for the whole page. */
export function OfferLists({ pages, pictures, brand }: Offers) {
  return (
    <>
      {offered.map(kind => (
        <datalist key={kind} id={`content-${kind}`}>
          {contentOffers(kind, pages).map(each => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </datalist>
      ))}
      <datalist id="content-picture">
        {pictures.map(each => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <datalist id="content-colours">
        {brand.map(each => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </datalist>
    </>
  )
}

/**
 * A field for one page, product or collection of the shop, which is searched by its title or
 * address.
 */
export const OfferedField = ({
  kind,
  bound,
  text,
}: {
  kind: Offered
  bound: Bound
  text: string
}) => (
  <input
    {...bound}
    list={`content-${kind}`}
    value={text}
    maxLength={longestText}
    placeholder={hints[kind]}
    autocomplete="off"
    spellcheck={false}
  />
)

/**
 * A colour picker cannot be empty, and it knows only #rrggbb. Any other value gets a text field.
 */
export const ColourInput = ({ bound, text }: { bound: Bound; text: string }) =>
  /^#[0-9a-f]{6}$/i.test(text) ? (
    <input {...bound} type="color" list="content-colours" value={text.toLowerCase()} />
  ) : (
    <input
      {...bound}
      class="code"
      list="content-colours"
      value={text}
      maxLength={longestText}
      placeholder="#1a2b3c"
      autocomplete="off"
      spellcheck={false}
    />
  )

/** Shows what a value stands for: the picture, the colour, or the title of the page. */
export function Seen({
  kind,
  value,
  pages,
  origin,
  children,
}: Pick<Offers, 'pages' | 'origin'> & {
  kind: SettingKind
  value: unknown
  children?: ComponentChildren
}) {
  const picture = kind === 'picture' && shopPicture(value, origin)
  if (picture) return <img class="content-picture" src={picture} alt="" loading="lazy" />
  const colour = kind === 'colour' && parseColour(String(value))
  if (colour)
    return (
      <span class="content-colour">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <rect width="16" height="16" rx="4" fill={hexOf(colour)} />
        </svg>
        {children}
      </span>
    )
  const title =
    isOffered(kind) && contentOffers(kind, pages).find(each => each.value === value)?.label
  return <>{title ? <span class="note">{title}</span> : null}</>
}
