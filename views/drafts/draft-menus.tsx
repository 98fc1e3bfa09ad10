import { paths } from '../../domain/paths.ts'
import { Confirm } from '../confirm.tsx'
import type { DraftEditorProps } from './draft-editor.tsx'
import { Icon } from '../icons.tsx'
import { asking, opens } from '../modal.tsx'
import { CopyLink } from '../row-menu.tsx'

/** The menus: previews of both arms, and acts on the whole draft. */
export function DraftMenus({ draft, step, previews }: DraftEditorProps) {
  return (
    <>
      <details class="menu">
        <summary class="button secondary">
          <Icon name="eye" />
          Preview
        </summary>
        <ul class="menu-list">
          <li>
            <a href={previews[0]} target="_blank" rel="noopener">
              <span class="arm-mark arm-mark-control" />
              Control on the shop
            </a>
          </li>
          <li>
            <a href={previews[1]} target="_blank" rel="noopener">
              <span class="arm-mark" />
              Variant on the shop
            </a>
          </li>
          <li>
            <a href={paths.draftPreviews(draft.id)}>
              <Icon name="external" />
              On a phone
            </a>
          </li>
        </ul>
      </details>
      <details class="menu">
        <summary class="button quiet icon-only" aria-label="More" title="More">
          <Icon name="down" />
        </summary>
        <ul class="menu-list">
          <CopyLink />
          <li>
            <button class="menu-act" name="act" value="duplicate">
              Duplicate draft
            </button>
          </li>
          <li>
            <a href={paths.draftPictures(draft.id)}>Pictures of both arms</a>
          </li>
          <li>
            <a {...opens('delete-draft', asking(draftPage({ draft, step }), 'delete'))}>
              <Icon name="trash" />
              Delete draft
            </a>
          </li>
        </ul>
      </details>
    </>
  )
}

/** The address of the editor at this step. */
const draftPage = ({ draft, step }: Pick<DraftEditorProps, 'draft' | 'step'>): string =>
  `${paths.draft(draft.id)}?step=${step}`

const lost = {
  Theme: 'theme',
  Template: 'template',
  PageContent: 'content',
  UrlRedirect: 'pages',
  PageElement: 'changes',
  Api: 'split',
  Price: 'prices',
} as const

type DraftDeleteProps = Pick<DraftEditorProps, 'draft' | 'step' | 'asked'>
export const DraftDelete = ({ draft, step, asked }: DraftDeleteProps) => (
  <Confirm
    id="delete-draft"
    title={`Delete ${draft.title.trim() || 'this draft'}?`}
    action={paths.deleteDraft(draft.id)}
    closed={draftPage({ draft, step })}
    act="Delete draft"
    keep="Keep it"
    isOpen={asked === 'delete'}
  >
    Its name, hypothesis and {lost[draft.kind]} are lost
    {draft.variant?.isOurs && (
      <>, and our copy of the template is deleted from your shop unless you changed it</>
    )}
    . This cannot be undone.
  </Confirm>
)
