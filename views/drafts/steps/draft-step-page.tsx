import { named } from '../../../domain/drafts/draft-ready.ts'
import type { Template } from '../../../domain/themes/template-record.ts'
import { type TemplateType, templateTypes } from '../../../domain/themes/template.ts'
import { ArmPictures, ChoicePicture } from '../choice-picture.tsx'
import { StepCard } from '../draft-editor.tsx'
import { DraftField, Problems } from '../draft-field.tsx'
import {
  isAssigned,
  typeLabels,
  unsupported,
  type Resource,
  type TemplateStepProps,
} from './draft-step-template-props.ts'
import { State } from './draft-step-template-variant.tsx'
import { lackOf } from '../../../domain/platform/kind-needs.ts'
import { Icon } from '../../icons.tsx'
import { MerchantCopySteps } from './merchant-copy-steps.tsx'
import { Lacking } from '../../lacking.tsx'
import { SwapControl } from '../swap-control.tsx'

export type PageStepProps = Omit<TemplateStepProps, 'resources' | 'ticked' | 'suffix'> & {
  /** The kind of page that is searched, and the text that is searched for. */
  type: TemplateType
  search: string
  found: { count: number; items: Resource[] }
  /** The chosen page; null when none is chosen, and when it no longer exists. */
  chosen: Resource | null
}

/**
 * The step that chooses the page whose content is tested. Its variant is a copy of its template,
 * for this page only.
 */
export function PageContentStep(props: PageStepProps) {
  const { draft, problems } = props
  const isChosen =
    draft.control !== null &&
    (draft.resourceIds.length > 0 || !isAssigned(draft.control.templateType))
  return (
    <StepCard>
      <Problems
        problems={problems}
        of={['control', 'suffix', 'granular', 'resourceIds', 'variant']}
      />
      {isChosen && <Chosen {...props} />}
      {props.copy && (
        <MerchantCopySteps
          copy={props.copy}
          last={`Come back here and ${isChosen ? 'create the variant' : 'choose the page again'}. We look for the copy, and check that it fits.`}
        />
      )}
      <details class="template-choice" open={!isChosen || props.search !== ''}>
        <summary>
          <span>
            <b>{isChosen ? 'Choose another page' : 'Choose the page to test'}</b>
          </span>
        </summary>
        <div class="stack">
          <div class="row row-end">
            <DraftField
              name="pageType"
              label="Kind of page"
              problems={problems}
              control={bound => (
                <select {...bound}>
                  {templateTypes.map(type => (
                    <option key={type} value={type} selected={type === props.type}>
                      {typeLabels[type]}
                    </option>
                  ))}
                </select>
              )}
            />
            <DraftField
              name="pageSearch"
              label="Title or handle"
              problems={problems}
              control={bound => (
                <input {...bound} value={props.search} maxLength={200} autocomplete="off" />
              )}
            />
            <button class="secondary" name="act" value="page.find:">
              Find
            </button>
          </div>
          <Found {...props} />
        </div>
      </details>
    </StepCard>
  )
}

function Found({ type, found, templates, draft, chosen, pictures }: PageStepProps) {
  const versionOf = (suffix: string): string =>
    templates.find(each => each.type === type && each.suffix === suffix)?.updatedAt ?? ''
  const kindOf = (suffix: string): Template['kind'] | undefined =>
    templates.find(each => each.type === type && each.suffix === suffix)?.kind
  const single = !isAssigned(type)
  const rows: Resource[] = single
    ? [{ id: '', title: typeLabels[type], path: type === 'home' ? '/' : `/${type}`, suffix: '' }]
    : found.items
  if (rows.length === 0) return <p class="note">Nothing in your shop has this name.</p>
  return (
    <>
      <ul class="pick-list">
        {rows.map(({ id, title, path, suffix }) => {
          const isChosen = single ? draft.control?.templateType === type : chosen?.id === id
          return (
            <li key={id} aria-current={isChosen ? 'true' : undefined}>
              <ChoicePicture
                choice={{ kind: 'page', type, id }}
                version={versionOf(suffix)}
                label={title}
                pictures={pictures}
              />
              <span class="pick-words">
                <b>{title}</b>
                <small>
                  {path}
                  {kindOf(suffix) === 'Unsupported' && (
                    <>
                      ; <abbr title={unsupported}>Unsupported</abbr>
                    </>
                  )}
                </small>
              </span>
              {isChosen ? (
                <span class="badge" data-tone="good">
                  <Icon name="check" />
                  Chosen
                </span>
              ) : kindOf(suffix) === 'Unsupported' ? (
                <span class="note">Cannot be copied</span>
              ) : (
                <button
                  class="secondary small"
                  name="act"
                  value={`page.choose:${type}:${suffix}:${id}`}
                  aria-label={`Test this page: ${title}`}
                >
                  Test this page
                </button>
              )}
            </li>
          )
        })}
      </ul>
      {found.count > rows.length && !single && (
        <p class="note">
          The first {rows.length} of {found.count}. Write more of the title to see others.
        </p>
      )}
    </>
  )
}

function Chosen({
  draft,
  chosen,
  states,
  editorOf,
  templates,
  pictures,
  copy,
  store,
}: PageStepProps) {
  // Where the merchant makes the copy, the steps say how.
  const lack = copy ? null : lackOf('ownCopies', store)
  const control = draft.control!,
    variant = draft.variant
  return (
    <section class="stack" aria-labelledby="chosen-page">
      <h2 id="chosen-page">
        {chosen?.title ??
          (draft.resourceIds.length > 0
            ? 'The chosen page is gone'
            : typeLabels[control.templateType!])}
      </h2>
      {(chosen || draft.resourceIds.length === 0) && (
        <ArmPictures {...{ control, variant, templates, pictures }} page={chosen?.id ?? ''} />
      )}
      <dl class="review">
        <div>
          <dt>Page</dt>
          <dd>{chosen?.path ?? '–'}</dd>
          <dd />
        </div>
        <div>
          <dt>Control</dt>
          <dd>
            <code>{named(control)}</code>, as it is
          </dd>
          <dd />
        </div>
        <div>
          <dt>Variant</dt>
          <dd>
            {variant ? (
              <>
                <code>{named(variant)}</code>, a copy for this page alone.{' '}
                {states && <State state={states.variant} />}
              </>
            ) : (
              'Not made yet'
            )}
          </dd>
          <dd>
            {variant && (
              <a
                href={editorOf({ type: variant.templateType!, suffix: variant.suffix! })}
                target="_blank"
                rel="noopener"
              >
                Edit in your shop
                <Icon name="external" />
              </a>
            )}
          </dd>
        </div>
      </dl>
      {variant && <SwapControl draft={draft} step="page" variantNow={states?.variant ?? null} />}
      <div class="row">
        {variant ? (
          <>
            <button name="act" value="go:content">
              Edit the content
            </button>
            <button class="danger small" name="act" value="page.remove:">
              Remove variant
            </button>
          </>
        ) : lack ? (
          <Lacking lack={lack} />
        ) : (
          <button name="act" value="page.copy:">
            Create the variant
          </button>
        )}
      </div>
    </section>
  )
}
