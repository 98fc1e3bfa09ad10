import { StepCard, type DraftEditorProps, type ShopPage } from '../draft-editor.tsx'
import { pageGroups } from '../../../domain/drafts/dom-selector.ts'
import { paths } from '../../../domain/paths.ts'
import { DraftField } from '../draft-field.tsx'
import { PatternMatches } from '../draft-matches.tsx'
import { PagesPreview } from '../draft-stage.tsx'
import { SwapControl } from '../swap-control.tsx'

/** The step for the two pages of a redirect test, or for the pages of a page element test. */
export const PagesStep = (props: DraftEditorProps) =>
  props.draft.kind === 'UrlRedirect' ? <RedirectPages {...props} /> : <PatternPages {...props} />

function PatternPages({ draft, form, problems, pages }: DraftEditorProps) {
  const isApart = pageGroups(draft.domSelectors).length > 1
  return (
    <StepCard>
      <DraftField
        name="urlPatterns"
        label="Pages to test"
        problems={problems}
        help={
          <>
            One address per line. Use <code>*</code> for anything: <code>/products/*</code> matches
            every product page, <code>*</code> the whole shop.
            {isApart && <> An empty line separates groups of pages, each with its own changes.</>}
          </>
        }
        control={bound => (
          <textarea
            {...bound}
            class="code"
            rows={isApart ? 7 : 3}
            spellcheck={false}
            placeholder="/products/*"
            hx-get={paths.draftMatches(draft.id)}
            hx-trigger="input delay:250ms"
            hx-target="#matches"
            hx-select="#matches"
            hx-swap="outerHTML show:none"
            hx-sync="this:replace"
          >
            {form.urlPatterns}
          </textarea>
        )}
      />
      <PatternMatches
        patterns={form.urlPatterns
          .split('\n')
          .map(line => line.trim())
          .filter(Boolean)}
        pages={pages}
      />
      <details class="page-list">
        <summary>All pages of the shop</summary>
        <PageList pages={pages} />
      </details>
      <SwapControl draft={draft} step="pages" />
    </StepCard>
  )
}

function PageList({ pages }: { pages: ShopPage[] }) {
  if (pages.length === 0) return <p class="note">None.</p>
  return (
    <ul class="match-list match-list-all">
      {pages.map(page => (
        <li key={page.url} title={page.title}>
          {page.url}
        </li>
      ))}
    </ul>
  )
}

function RedirectPages(props: DraftEditorProps) {
  const { form, pages, draft } = props,
    problems = [...props.problems, ...(props.unchecked ?? [])]
  return (
    <>
      <StepCard>
        <div class="field-pair">
          <DraftField
            name="controlUrl"
            label="Page to test (control)"
            problems={problems}
            help="Visitors of this page take part."
            control={bound => (
              <input
                {...bound}
                class="code"
                list="shop-pages"
                spellcheck={false}
                placeholder="/pages/gift-guide"
                value={form.controlUrl}
              />
            )}
          />
          <DraftField
            name="redirectUrl"
            label="Where the variant goes"
            problems={problems}
            help="Another page of your shop. Query, hash and referrer are kept."
            control={bound => (
              <input
                {...bound}
                class="code"
                list="shop-pages"
                spellcheck={false}
                placeholder="/pages/gift-guide-2026"
                value={form.redirectUrl}
              />
            )}
          />
        </div>
        <datalist id="shop-pages">
          {pages.map(page => (
            <option key={page.url} value={page.url}>
              {page.title}
            </option>
          ))}
        </datalist>
        {draft.controlUrl && draft.redirectUrl && <SwapControl draft={draft} step="pages" />}
        <div class="row">
          <button class="secondary" name="act" value="save">
            Save and refresh preview
          </button>
          <button name="act" value="go:split">
            Continue to audience and split
          </button>
        </div>
      </StepCard>
      {draft.controlUrl && draft.redirectUrl ? (
        <PagesPreview {...props} />
      ) : (
        <p class="note">
          Both pages are shown here side by side when you have entered their addresses.
        </p>
      )}
    </>
  )
}
