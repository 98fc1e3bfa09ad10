import type { TestDraft } from '../domain/draft.ts'
import type { DraftForm } from '../domain/draft-form.ts'
import { draftSteps, stepOfField, stepsOf, type DraftStep } from '../domain/draft-steps.ts'
import { formatCount, formatTime } from '../domain/figures.ts'
import { goals } from '../domain/goal.ts'
import { paths } from '../domain/paths.ts'
import type { FieldProblem } from '../domain/problem.ts'
import { testKinds } from '../domain/test-kind.ts'
import { Confirm } from './confirm.tsx'
import { GoalStep, PagesStep, ReviewStep, SplitStep } from './draft-steps.tsx'
import { DraftStage } from './draft-stage.tsx'
import { Icon } from './icons.tsx'
import { Island } from './island.tsx'

export type ShopPage = { url: string; title: string }
export type DraftEditorProps = {
  /** As it is stored. */
  draft: TestDraft
  /** As it is typed: the same, unless this page was refused. */
  form: DraftForm
  step: DraftStep
  /** Messages at the fields of this page. */
  problems: FieldProblem[]
  /** All that still stands before the launch, of the stored draft. */
  open: FieldProblem[]
  /** Pages of the live shop, and those of them the stored draft is about. */
  pages: ShopPage[]
  matches: ShopPage[]
  /** Preview links of the first of those pages, control first. */
  previews: [string, string]
  timeZone: string
  banner?: { tone: 'bad' | 'warn'; title: string; text: string }
}

/** The draft editor: one form over its frame, one step of it on screen. Moving to another step saves. */
export function DraftEditor(props: DraftEditorProps) {
  const { draft, form, step, problems, open, timeZone, banner } = props
  const steps = stepsOf(draft.kind)
  const next = steps[steps.indexOf(step) + 1]
  const withPreview = step === 'changes' || (step === 'pages' && draft.kind === 'UrlRedirect')
  const titleProblem = problems.find(p => p.field === 'title')
  return (
    <>
      <form class={step === 'changes' ? 'editor' : 'editor editor-plain'} method="post" action={`${paths.draft(draft.id)}?step=${step}`} novalidate>
        <input type="hidden" name="version" value={draft.version} />
        <header class="editor-head">
          <a class="button quiet small icon-only" href={paths.tests('Draft')} aria-label="Back to drafts"><Icon name="back" /></a>
          <h1 class="visually-hidden">Edit draft: {draft.title.trim() || 'untitled'}</h1>
          <input class="title-input" name="title" aria-label="Name of the test" placeholder="Name this test" value={form.title} maxLength={120}
            aria-invalid={titleProblem ? 'true' : undefined} aria-describedby={titleProblem ? 'title-problem' : undefined} autocomplete="off" />
          <span class="badge" data-tone="neutral"><Icon name="draft" />Draft</span>
          {titleProblem && <span class="field-error" id="title-problem"><Icon name="warning" />{titleProblem.message}</span>}
          <div class="page-head editor-actions">
            <div class="page-actions">
              {problems.length > 0
                ? <span class="saved" data-tone="bad" role="alert"><span class="tone"><Icon name="warning" /></span>{problems.length === 1 ? '1 thing to mend' : `${problems.length} things to mend`}</span>
                : <span class="saved" role="status"><Icon name="check" />Saved {formatTime(draft.updatedAt, timeZone)}</span>}
              <button class="quiet icon-only" type="button" command="show-modal" commandfor="delete-draft" aria-label="Delete draft" title="Delete draft"><Icon name="trash" /></button>
              <PreviewMenu urls={props.previews} />
              <button class="secondary" name="act" value="save">Save</button>
              <button name="act" value="launch">Launch test</button>
            </div>
          </div>
        </header>
        <aside aria-label="Steps">
          <ol class="steps">
            {steps.map((name, i) => {
              const done = isDone(name, draft, open)
              return (
                <li key={name}>
                  <button class="step" name="act" value={`go:${name}`} aria-current={name === step ? 'step' : undefined}>
                    {done && name !== step ? <Icon name="check" /> : <span class="step-number">{i + 1}</span>}
                    <span>{draftSteps[name]}</span>{done && <span class="visually-hidden">, done</span>}
                  </button>
                </li>
              )
            })}
          </ol>
          <Checklist {...props} />
        </aside>
        <section class="editor-stage" aria-label={step === 'changes' ? 'Preview' : draftSteps[step]}>
          {banner && <div class="banner" data-tone={banner.tone} role="alert"><Icon name="warning" /><div><strong>{banner.title}</strong> {banner.text}</div></div>}
          {step === 'changes' && <DraftStage {...props} />}
          {step === 'goal' && <GoalStep {...props} />}
          {step === 'pages' && <PagesStep {...props} />}
          {step === 'split' && <SplitStep {...props} />}
          {step === 'review' && <ReviewStep {...props} />}
          {next && !withPreview && <div class="row"><button name="act" value={`go:${next}`}>Save and continue to {lower(draftSteps[next])}</button></div>}
        </section>
        {step === 'changes' && (
          <aside aria-label="Changes">
            <Island id="changes" name="changes-editor" props={{ changes: form.changes, problems: Object.fromEntries(problems.map(p => [p.field, p.message])), open: unfolded(form, problems) }} />
            <section class="panel panel-grow"><p class="note">The preview shows what is saved. Visitors see the changes before the page is painted.</p><div class="row"><button class="secondary small" name="act" value="save">Save and show</button>{next && <button class="secondary small" name="act" value={`go:${next}`}>Continue</button>}</div></section>
          </aside>
        )}
      </form>
      <Confirm id="delete-draft" title={`Delete ${draft.title.trim() || 'this draft'}?`} action={paths.deleteDraft(draft.id)} act="Delete draft" keep="Keep it">
        Its name, hypothesis and {draft.kind === 'PageElement' ? 'changes' : 'pages'} are lost. This cannot be undone.
      </Confirm>
    </>
  )
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** The change at fault; else a lone or brand-new one. */
function unfolded(form: DraftForm, problems: FieldProblem[]): number | null {
  const broken = problems.map(p => /^changes\.(\d+)\./.exec(p.field)?.[1]).find(i => i !== undefined)
  if (broken !== undefined) return Number(broken)
  const blank = form.changes.findIndex(c => !c.selector && !c.value)
  return blank >= 0 ? blank : form.changes.length === 1 ? 0 : null
}

function PreviewMenu({ urls }: { urls: [string, string] }) {
  return (
    <details class="menu">
      <summary class="button secondary"><Icon name="eye" />Preview</summary>
      <ul class="menu-list">
        <li><a href={urls[0]} target="_blank" rel="noopener"><span class="arm-mark arm-mark-control" />Control on the shop</a></li>
        <li><a href={urls[1]} target="_blank" rel="noopener"><span class="arm-mark" />Variant on the shop</a></li>
      </ul>
    </details>
  )
}

/** A step is done when it holds what it asks for and nothing before the launch is amiss in it. */
function isDone(step: DraftStep, draft: TestDraft, open: FieldProblem[]): boolean {
  if (step === 'review') return open.length === 0
  if (step === 'goal' && !draft.hypothesisDescription.trim()) return false
  return !open.some(p => stepOfField(p.field) === step)
}

function Checklist({ draft, open, matches }: DraftEditorProps) {
  const missing = (...fields: string[]) => open.find(p => fields.some(f => p.field === f || p.field.startsWith(`${f}.`)))
  const changes = draft.domSelectors.flatMap(s => s.actions).length
  const pages = `${formatCount(matches.length)} ${matches.length === 1 ? 'page matches' : 'pages match'}`
  const lines: { ok: boolean; words: string }[] = [
    { ok: true, words: `${testKinds[draft.kind].label} test` },
    { ok: !missing('title'), words: missing('title') ? 'No name yet' : 'Named' },
    { ok: true, words: `Goal: ${goals[draft.goal].label.toLowerCase()}` },
    ...(draft.kind === 'PageElement'
      ? [
          { ok: !missing('urlPatterns') && matches.length > 0, words: missing('urlPatterns') ? 'No page named yet' : matches.length > 0 ? pages : 'No page of the shop matches' },
          { ok: !missing('changes'), words: changes === 0 ? 'No change yet' : missing('changes') ? 'A change is not complete' : `${changes} ${changes === 1 ? 'change' : 'changes'}` },
        ]
      : [
          { ok: !missing('controlUrl'), words: missing('controlUrl') ? 'No page to test yet' : `Control: ${draft.controlUrl}` },
          { ok: !missing('redirectUrl'), words: missing('redirectUrl') ? 'No page for the variant yet' : `Variant: ${draft.redirectUrl}` },
        ]),
    { ok: !missing('weights'), words: `Split ${draft.weights.map(w => Number((w * 100).toFixed(2))).join(' / ')}` },
  ]
  return (
    <section class="panel panel-end" aria-labelledby="before">
      <div class="panel-head"><h2 id="before">Before launch</h2><span class="note">{lines.filter(l => l.ok).length} of {lines.length}</span></div>
      <ul class="checklist">
        {lines.map(({ ok, words }) => <li key={words} data-tone={ok ? 'good' : 'warn'}><Icon name={ok ? 'check' : 'warning'} /><span>{words}</span></li>)}
      </ul>
    </section>
  )
}
