import type { ComponentChildren, VNode } from 'preact'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { formOf } from '../../domain/drafts/draft-form.ts'
import type { DraftForm } from '../../domain/drafts/draft-form-posted.ts'
import { isStepDone, readyLines } from '../../domain/drafts/draft-ready.ts'
import { draftSteps, stepsOf, type DraftStep } from '../../domain/drafts/draft-steps.ts'
import { formatTime } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { Capabilities } from '../../domain/platform/capabilities.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { DraftDelete, DraftMenus } from './draft-menus.tsx'
import { Icon } from '../icons.tsx'
import { ShopSilent } from './shop-silent.tsx'
import { Island, jsonText } from '../island.tsx'

export type ShopPage = { url: string; title: string }
/** The properties of every step. */
export type DraftEditorProps = {
  /** The stored draft. */
  draft: TestDraft
  /** What was typed: the same as the stored draft, unless the save was refused. */
  form: DraftForm
  step: DraftStep
  /** Messages at the fields of this page. */
  problems: FieldProblem[]
  /** All problems of the stored draft that prevent the launch. */
  open: FieldProblem[]
  /** Pages of the live shop, and in `matches` those that the stored draft tests. */
  pages: ShopPage[]
  matches: ShopPage[]
  /** Preview links of the first of those pages, control first. */
  previews: [string, string]
  timeZone: string
  /** What the shop lets us do. */
  store: Capabilities
  banner?: { tone: 'bad' | 'warn'; title: string; text: string }
  /** Messages at fields that are stored, but that the shop could not check. */
  unchecked?: FieldProblem[]
  /** Why something of this page could not be read from the shop; null when all was read. */
  silence?: string | null
  /** Nothing of this form is stored: someone else saved the draft meanwhile. */
  isConflict?: true
  /**
   * Id of the page that saved this version of the draft, if it is known
   * (islands/drafts/edit-session.ts).
   */
  savedBy?: string | null
  /** What `?ask=` asks for. */
  asked?: string | null
  /** Drawn as an example: nothing is stored. */
  isExample?: true
}
type EditorProps = DraftEditorProps & {
  shown: { stage: VNode; aside?: VNode; dialogs?: VNode; ownContinue?: true; kept?: unknown }
}

/**
 * The draft editor: one form over its frame, one step of it on screen. Moving to another step
 * saves.
 */
export function DraftEditor(props: EditorProps) {
  const { draft, form, step, problems, open, banner, shown } = props
  const steps = stepsOf(draft.kind),
    next = steps[steps.indexOf(step) + 1]
  const titleProblem = problems.find(p => p.field === 'title')
  return (
    <>
      {/* After a reload, browsers must not restore old values of fields, nor an old version. */}
      <form
        id="draft"
        class={shown.aside ? 'editor' : 'editor editor-plain'}
        method="post"
        action={`${paths.draft(draft.id)}?step=${step}`}
        novalidate
        autocomplete="off"
      >
        <input type="hidden" name="version" value={draft.version} />
        {/* Enter in a field presses the form's first button, so this one saves. */}
        <button class="visually-hidden" name="act" value="save" tabIndex={-1} aria-hidden="true">
          Save
        </button>
        {shown.kept !== undefined && (
          <script
            type="application/json"
            id="draft-kept"
            data-fresh
            dangerouslySetInnerHTML={{ __html: jsonText(shown.kept) }}
          />
        )}
        <header class="editor-head">
          <a
            class="button quiet small icon-only"
            href={paths.tests('Draft')}
            aria-label="Back to drafts"
          >
            <Icon name="back" />
          </a>
          <h1 class="visually-hidden">Edit draft: {draft.title.trim() || 'untitled'}</h1>
          <span class="title-field" data-field="title">
            <input
              class="title-input"
              name="title"
              aria-label="Name of the test"
              placeholder="Name this test"
              value={form.title}
              maxLength={120}
              aria-invalid={titleProblem ? 'true' : undefined}
              aria-describedby={titleProblem ? 'title-problem' : undefined}
              autocomplete="off"
            />
            {titleProblem && (
              <span class="field-error" id="title-problem">
                <Icon name="warning" />
                {titleProblem.message}
              </span>
            )}
          </span>
          <span class="badge" data-tone="neutral">
            <Icon name="draft" />
            Draft
          </span>
          <History {...props} />
          <div class="page-head editor-actions">
            <div class="page-actions">
              <SaveState {...props} />
              <DraftMenus {...props} />
              <button class="secondary" name="act" value="save">
                Save
              </button>
              <button name="act" value="launch">
                Launch test
              </button>
            </div>
          </div>
        </header>
        <aside aria-label="Steps">
          <ol class="steps" id="steps" data-fresh>
            {steps.map((name, i) => {
              const done = isStepDone(name, draft, open)
              return (
                <li key={name}>
                  <button
                    class="step"
                    name="act"
                    value={`go:${name}`}
                    aria-current={name === step ? 'step' : undefined}
                  >
                    {done && name !== step ? (
                      <Icon name="check" />
                    ) : (
                      <span class="step-number">{i + 1}</span>
                    )}
                    <span>{draftSteps[name]}</span>
                    {done && <span class="visually-hidden">, done</span>}
                  </button>
                </li>
              )
            })}
          </ol>
          <Checklist {...props} />
        </aside>
        <section class="editor-stage" aria-label={shown.aside ? 'Preview' : draftSteps[step]}>
          {banner && (
            <div class="banner" data-tone={banner.tone} role="alert">
              <Icon name="warning" />
              <div>
                <strong>{banner.title}</strong> {banner.text}
              </div>
            </div>
          )}
          {props.silence && <ShopSilent why={props.silence} />}
          {shown.stage}
          {next && !shown.aside && !shown.ownContinue && (
            <div class="row">
              <button name="act" value={`go:${next}`}>
                {continueTo(next)}
              </button>
            </div>
          )}
        </section>
        {shown.aside && <aside aria-label={draftSteps[step]}>{shown.aside}</aside>}
      </form>
      <DraftDelete {...props} />
      {shown.dialogs}
    </>
  )
}

/** "Save and continue to goal and hypothesis" */
export const continueTo = (step: DraftStep): string =>
  `Save and continue to ${draftSteps[step].charAt(0).toLowerCase()}${draftSteps[step].slice(1)}`

/**
 * The list of changes is an island that begins at once, and saving must not begin after it: what is
 * typed there then counts as drawn.
 */
const isLater = (step: DraftStep): boolean => step !== 'changes'

/** Undo and redo, which need scripts. */
function History({
  draft,
  step,
  problems,
  banner,
  isConflict,
  savedBy,
  isExample,
}: DraftEditorProps) {
  if (isExample) return null
  return (
    <Island
      isLater={isLater(step)}
      id="history"
      name="undo-redo"
      props={{
        form: 'draft',
        draft: draft.id,
        by: savedBy ?? null,
        isConflict: isConflict ?? false,
        isRefused: problems.length > 0 || banner !== undefined,
      }}
    />
  )
}

/** Shows whether what is on screen is stored. With scripts, changes are saved automatically. */
function SaveState({ draft, step, form, problems, timeZone, isExample }: DraftEditorProps) {
  if (isExample) return <span class="saved">Saved {formatTime(draft.updatedAt, timeZone)}</span>
  return (
    <Island
      isLater={isLater(step)}
      id="autosave"
      name="autosave"
      props={{
        form: 'draft',
        version: draft.version,
        at: formatTime(draft.updatedAt, timeZone),
        problems: problems.length,
        isStored: JSON.stringify(form) === JSON.stringify(formOf(draft, timeZone)),
      }}
    />
  )
}

function Checklist({ draft, open, matches }: DraftEditorProps) {
  const lines = readyLines(draft, open, matches.length)
  return (
    <section class="panel panel-end" id="checklist" data-fresh aria-labelledby="before">
      <div class="panel-head">
        <h2 id="before">Before launch</h2>
        <span class="note">
          {lines.filter(l => l.ok).length} of {lines.length}
        </span>
      </div>
      <ul class="checklist">
        {lines.map(({ ok, words }) => (
          <li key={words} data-tone={ok ? 'good' : 'warn'}>
            <Icon name={ok ? 'check' : 'warning'} />
            <span>{words}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The usual card around a step. */
export const StepCard = ({ children }: { children: ComponentChildren }) => (
  <div class="card stack card-body">{children}</div>
)
