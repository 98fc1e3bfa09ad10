import { formatCount } from '../../domain/figures.ts'
import type { DraftEditorProps, ShopPage } from './draft-editor.tsx'
import { Island } from '../island.tsx'

/** The pages that the draft tests, and below them the preview of a page in either arm. */
export function DraftStage({ draft, matches, pages, previews }: DraftEditorProps) {
  const patterns = draft.domSelectors.flatMap(s => s.urlPatterns)
  return (
    <>
      <div class="pattern-row">
        <div class="field">
          <span class="field-label">Pages</span>
          {patterns.length > 0 ? (
            <code>{patterns.join(', ')}</code>
          ) : (
            <span class="note">None named yet</span>
          )}
        </div>
        <div class="field">
          <span class="saved">
            <b>
              {formatCount(matches.length)} of {formatCount(pages.length)} pages match
            </b>
            <button class="link" name="act" value="go:pages">
              Change
            </button>
          </span>
          <Matches matches={matches} previews={previews} />
        </div>
      </div>
      <Preview {...{ draft, previews }} />
    </>
  )
}

export function Preview({ draft, previews }: Pick<DraftEditorProps, 'draft' | 'previews'>) {
  return (
    <Island
      id="preview"
      name="preview-frame"
      props={{
        urls: previews,
        titles: [draft.controlTitle, draft.variantTitle],
        address: address(previews[0]),
      }}
    />
  )
}

/** The preview of a redirect test: each arm is its own page, and both are side by side. */
export function PagesPreview({
  draft: { controlUrl, redirectUrl, controlTitle, variantTitle },
  previews,
}: Pick<DraftEditorProps, 'draft' | 'previews'>) {
  const urls: [string, string] = [
    previewAt(previews[0], controlUrl!),
    previewAt(previews[1], redirectUrl!),
  ]
  return (
    <Island
      id="preview"
      name="preview-frame"
      props={{
        urls,
        titles: [controlTitle, variantTitle],
        address: new URL(urls[0]).host,
        paths: [controlUrl!, redirectUrl!],
      }}
    />
  )
}

/** Each page opens in the preview's frame, in the variant. */
function Matches({ matches, previews }: { matches: ShopPage[]; previews: [string, string] }) {
  return (
    <ul class="match-list">
      {matches.slice(0, 12).map(page => (
        <li key={page.url}>
          <a href={previewAt(previews[1], page.url)} target="preview" title={page.title}>
            {page.url}
          </a>
        </li>
      ))}
    </ul>
  )
}

function address(url: string): string {
  const { host, pathname } = new URL(url)
  return host + pathname
}

/**
 * The same signed link for another page of the shop: the signature is for the draft and its arm,
 * not for the page. For an address outside the shop, the link unchanged.
 */
export function previewAt(link: string, path: string): string {
  const url = new URL(link)
  if (!URL.canParse(path, url.origin)) return link
  const page = new URL(path, url.origin)
  if (page.origin !== url.origin) return link
  for (const [name, value] of url.searchParams) page.searchParams.set(name, value)
  return page.href
}
