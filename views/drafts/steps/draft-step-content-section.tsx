import { contentArgument, settingField } from '../../../domain/drafts/content-form.ts'
import {
  changesOf,
  type ContentBlock,
  type ContentSection,
} from '../../../domain/themes/template-content.ts'
import type { ContentProps } from './draft-step-content-props.ts'
import { ContentSettings } from './draft-step-content-settings.tsx'
import { Icon } from '../../icons.tsx'

type SectionProps = ContentProps & { section: ContentSection; isFirst: boolean; isLast: boolean }

/** One section of the template. It unfolds to its settings and its blocks. */
export function Section(props: SectionProps) {
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
  // The first section with anything to change is open, unless another one was edited last.
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

/** The buttons that move, hide and show a section or a block. */
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

/** The first words in a part, which tell it from other parts with the same name. */
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

/** Badges that say how a part differs from the control. */
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

/** A number of changes in words. */
export const changes = (count: number): string => `${count} ${count === 1 ? 'change' : 'changes'}`
