import {
  contentVersionField,
  contentWasField,
  keepMine,
} from '../../../domain/drafts/content-form.ts'
import { named } from '../../../domain/drafts/draft-ready.ts'
import { stepsOf } from '../../../domain/drafts/draft-steps.ts'
import { paths } from '../../../domain/paths.ts'
import { continueTo, StepCard, type DraftEditorProps } from '../draft-editor.tsx'
import { OfferLists } from '../draft-content-field.tsx'
import type { ContentProps } from './draft-step-content-props.ts'
import { changes, Section } from './draft-step-content-section.tsx'
import { Icon } from '../../icons.tsx'

/** Says that there is nothing to change here, and what to do. */
export function ContentMissing({
  draft,
  message,
  editor,
}: DraftEditorProps & { message: string | null; editor: string | null }) {
  const step = draft.kind === 'Template' ? 'template' : 'page'
  return (
    <StepCard>
      {message ? (
        <p class="banner" data-tone="warn">
          <Icon name="warning" />
          <span>{message}</span>
        </p>
      ) : (
        <p>
          {step === 'page' ? 'Choose the page first' : 'Choose the template first'}, then create the
          variant’s copy. Its sections and texts appear here.
        </p>
      )}
      <div class="row">
        <button class="secondary" name="act" value={`go:${step}`}>
          {step === 'page' ? 'Go to the page' : 'Go to the template'}
        </button>
        {editor && <EditorLink href={editor} />}
      </div>
    </StepCard>
  )
}

/** The variant's sections in their order, next to a preview. */
export function ContentAside(props: ContentProps) {
  const { content, draft, editor, version, was, problems } = props
  const steps = stepsOf(draft.kind),
    next = steps[steps.indexOf('content') + 1]!
  const problem = problems.find(each => each.field === 'content'),
    isContested = problem !== undefined && version !== content.version && content.isEditedInShop
  return (
    <>
      <section class="panel content-head">
        <input type="hidden" name={contentVersionField} value={version} />
        <input type="hidden" name={contentWasField} value={was} />
        <div class="panel-head">
          <h2>Content of the variant</h2>
          {editor && <EditorLink href={editor} />}
        </div>
        <div data-field="content">
          {problem && !isContested && (
            <span class="field-error" id="content-problem">
              <Icon name="warning" />
              {problem.message}
            </span>
          )}
        </div>
        {isContested && (
          <div class="banner" data-tone="warn" role="alert">
            <Icon name="warning" />
            <div>
              <strong>Your shop has newer content.</strong> The same setting was changed in your
              shop. What you typed is still here but not saved.
              <div class="row">
                <a href={`${paths.draft(draft.id)}?step=content`}>Load the shop’s version</a>
                <button class="secondary small" name="act" value={keepMine(content.version)}>
                  Use mine
                </button>
              </div>
            </div>
          </div>
        )}
        <p id="content-count" data-fresh>
          {content.changeCount === 0 ? (
            <>
              The same as <code>{named(draft.control)}</code> so far. Visitors would see no
              difference.
            </>
          ) : (
            <>
              <b>{changes(content.changeCount)}</b> from the control,{' '}
              <code>{named(draft.control)}</code>.
            </>
          )}
        </p>
      </section>
      <OfferLists {...props.offers} />
      <ol class="content-sections">
        {content.sections.map((section, i) => (
          <Section
            key={section.id}
            {...props}
            section={section}
            isFirst={i === 0}
            isLast={i === content.sections.length - 1}
          />
        ))}
      </ol>
      <section class="panel panel-grow">
        <p class="note">
          Your live template does not change. Save to see your changes in the preview.
        </p>
        <div class="row">
          <button class="secondary small" name="act" value="save">
            Save and refresh preview
          </button>
          <button class="small" name="act" value={`go:${next}`}>
            {continueTo(next)}
          </button>
        </div>
      </section>
    </>
  )
}

const EditorLink = ({ href }: { href: string }) => (
  <a class="content-editor" href={href} target="_blank" rel="noopener">
    Edit in your shop
    <Icon name="external" />
  </a>
)
