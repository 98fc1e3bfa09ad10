import type { BrandStyle } from '../../../domain/brand/brand-style.ts'
import { brandPalette } from '../../../domain/brand/brand-palette.ts'
import { pageGroups } from '../../../domain/drafts/dom-selector.ts'
import type { DraftForm } from '../../../domain/drafts/draft-form-posted.ts'
import { pieceLook } from '../../../domain/drafts/page-piece.ts'
import type { FieldProblem } from '../../../domain/problem.ts'
import type { DraftEditorProps } from '../draft-editor.tsx'
import { previewAt } from '../draft-stage.tsx'
import { Island } from '../../island.tsx'

/** The most pages on which the editor looks for the changed elements when the merchant asks. */
const checkedAtMost = 24

type ChangesAsideProps = DraftEditorProps & {
  brandStyle: BrandStyle | null
  /** The address that takes pictures for this draft. */
  uploadsTo: string
}

/** The list of changes, beside the shop's page (draft-stage.tsx). */
export function ChangesAside({
  draft,
  form,
  problems,
  matches,
  previews,
  brandStyle,
  uploadsTo,
}: ChangesAsideProps) {
  const groups = pageGroups(draft.domSelectors).map(({ urlPatterns }) => urlPatterns)
  return (
    <>
      <Island
        id="changes"
        name="changes-editor"
        props={{
          changes: form.changes,
          ...(groups[1] && { groups }),
          problems: Object.fromEntries(problems.map(p => [p.field, p.message])),
          open: unfolded(form, problems),
          brand: brandPalette(brandStyle),
          look: pieceLook(brandStyle),
          pages: matches
            .slice(0, checkedAtMost)
            .map(({ url }) => ({ path: url, url: previewAt(previews[0], url) })),
          uploads: { to: uploadsTo, shop: new URL(previews[0]).origin },
        }}
      />
      <section class="panel panel-grow">
        <p class="note">
          The preview shows the changes as you edit them. Visitors see them before the page is
          painted.
        </p>
        <noscript>
          <p class="note">Without scripts the preview shows what is saved.</p>
        </noscript>
        <div class="row">
          <button class="secondary small" name="act" value="save">
            Save and refresh preview
          </button>
          <button class="secondary small" name="act" value="go:split">
            Continue
          </button>
        </div>
      </section>
    </>
  )
}

/**
 * Index of the change that is unfolded: the one with a problem, or else an empty one, or else the
 * only one; null for none.
 */
function unfolded(form: DraftForm, problems: FieldProblem[]): number | null {
  const broken = problems
    .map(p => /^changes\.(\d+)\./.exec(p.field)?.[1])
    .find(i => i !== undefined)
  if (broken !== undefined) return Number(broken)
  const blank = form.changes.findIndex(c => !c.selector && !c.value)
  return blank >= 0 ? blank : form.changes.length === 1 ? 0 : null
}
