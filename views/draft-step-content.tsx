import {
  contentArgument,
  contentVersionField,
  contentWasField,
  keepMine,
  settingField,
} from '../domain/content-form.ts'
import type { Posted } from '../domain/draft-form.ts'
import { named } from '../domain/draft-ready.ts'
import { stepsOf } from '../domain/draft-steps.ts'
import { paths } from '../domain/paths.ts'
import {
  changesOf,
  type ContentBlock,
  type ContentSection,
  type TemplateContent,
} from '../domain/template-content.ts'
import { continueTo, StepCard, type DraftEditorProps } from './draft-editor.tsx'
import { type Offers, OfferLists } from './draft-content-field.tsx'
import { ContentSettings } from './draft-step-content-settings.tsx'
import { Icon } from './icons.tsx'

export type ContentProps = DraftEditorProps & {
  content: TemplateContent
  /** The template in the shop's own theme editor. */
  editor: string | null
  posted: Posted
  /** Of the file that the fields were made from. */
  version: string
  /** What the fields held then (domain/content-form.ts). */
  was: string
  /** The section that was worked on last. */
  opened: string | null
  offers: Offers
}

/** Nothing to change here, and what to do. */
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

/** The variant's sections as folds, in order, beside a preview. */
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

type SectionProps = ContentProps & { section: ContentSection; isFirst: boolean; isLast: boolean }
function Section(props: SectionProps) {
  const { section, isFirst, isLast, content, opened, problems } = props
  const { id, name, blocks } = section,
    said = wordsOf(section)
  const isWrong = problems.some(
    ({ field }) =>
      field.startsWith('content.') &&
      [section, ...blocks].some((part, i) =>
        part.settings.some(each => field === settingField(id, i === 0 ? null : part.id, each.id)),
      ),
  )
  // The first that has anything to change is open, unless another was worked on.
  const isOpen =
    isWrong ||
    (opened === null
      ? content.sections.find(each => each.settings.length + each.blocks.length > 0)?.id === id
      : opened === id)
  return (
    <li>
      <details class="content-part" open={isOpen}>
        <summary>
          <span class="content-name">
            <b>{name}</b>
            {said && (
              <small id={`said-${settingField(id, null, '')}`} data-fresh>
                {said}
              </small>
            )}
          </span>
          <Told
            id={`told-${settingField(id, null, '')}`}
            part={section}
            more={blocks}
            isMoved={section.areBlocksMoved}
          />
        </summary>
        <div class="stack content-inside">
          <PartActs
            ids={[id]}
            name={said ? `${name}: ${said}` : name}
            isShown={section.isShown}
            {...{ isFirst, isLast }}
          />
          <ContentSettings {...props} part={section} block={null} />
          {blocks.length > 0 && (
            <ol class="content-blocks" aria-label={`Blocks of ${name}`}>
              {blocks.map((block, i) => (
                <li key={block.id}>
                  <h3>
                    {block.name}
                    <Told id={`told-${settingField(id, block.id, '')}`} part={block} />
                  </h3>
                  <PartActs
                    ids={[id, block.id]}
                    name={wordsOf(block) ? `${block.name}: ${wordsOf(block)}` : block.name}
                    isShown={block.isShown}
                    isFirst={i === 0}
                    isLast={i === blocks.length - 1}
                  />
                  <ContentSettings {...props} part={block} block={block.id} />
                </li>
              ))}
            </ol>
          )}
          {section.settings.length + blocks.length === 0 && (
            <p class="note">This section has no settings. You can move it or hide it.</p>
          )}
        </div>
      </details>
    </li>
  )
}

/** Moving, hiding and showing a section or a block. */
function PartActs({
  ids,
  name,
  isShown,
  isFirst,
  isLast,
}: {
  ids: string[]
  name: string
  isShown: boolean
  isFirst: boolean
  isLast: boolean
}) {
  const act = (verb: string) => ({
    name: 'act',
    value: `content.${verb}:${contentArgument(...ids)}`,
  })
  return (
    <div class="row">
      <button
        class="secondary small"
        {...act('up')}
        disabled={isFirst}
        aria-label={`Move up: ${name}`}
      >
        Move up
      </button>
      <button
        class="secondary small"
        {...act('down')}
        disabled={isLast}
        aria-label={`Move down: ${name}`}
      >
        Move down
      </button>
      {isShown ? (
        <button class="secondary small" {...act('hide')} aria-label={`Hide: ${name}`}>
          Hide
        </button>
      ) : (
        <button class="secondary small" {...act('show')} aria-label={`Show: ${name}`}>
          Show
        </button>
      )}
    </div>
  )
}

/** The first words in a part, by which one is told from others of its name. */
const wordsOf = ({ settings }: ContentBlock): string => {
  const words = settings.find(
    ({ kind, value }) =>
      kind === 'text' &&
      typeof value === 'string' &&
      /\p{L} ?\p{L}/u.test(value) &&
      !/^(\/|https?:|#)/.test(value),
  )?.value
  return typeof words === 'string' ? words.slice(0, 60) : ''
}

/** What of a part is not the control's. */
function Told({
  id,
  part,
  more = [],
  isMoved = false,
}: {
  id: string
  part: ContentBlock
  more?: ContentBlock[]
  isMoved?: boolean
}) {
  const count = [part, ...more].reduce((sum, each) => sum + changesOf(each), Number(isMoved))
  return (
    <span class="content-told" id={id} data-fresh>
      {!part.isShown && (
        <span class="badge" data-tone="neutral">
          <Icon name="eye" />
          Hidden
        </span>
      )}
      {part.isShownInControl === null && (
        <span class="badge" data-tone="neutral">
          Not in the control
        </span>
      )}
      {count > 0 && (
        <span class="badge" data-tone="accent">
          {changes(count)}
        </span>
      )}
    </span>
  )
}

const EditorLink = ({ href }: { href: string }) => (
  <a class="content-editor" href={href} target="_blank" rel="noopener">
    Edit in your shop
    <Icon name="external" />
  </a>
)
const changes = (count: number): string => `${count} ${count === 1 ? 'change' : 'changes'}`
