import type { ComponentChildren } from 'preact'
import { describeChange } from '../domain/change-kind.ts'
import type { DomAction } from '../domain/dom-selector.ts'
import type { FieldProblem } from '../domain/problem.ts'
import { goalNames, goals } from '../domain/goal.ts'
import { draftSteps, stepOfField, type DraftStep } from '../domain/draft-steps.ts'
import type { DraftEditorProps, ShopPage } from './draft-editor.tsx'
import { DraftField, Problem } from './draft-field.tsx'
import { Preview } from './draft-stage.tsx'
import { Icon } from './icons.tsx'

const meanings: Record<keyof typeof goals, string> = {
  ConversionRate: 'Visitors who buy at least once', AverageOrderValue: 'What an order is worth', RevenuePerSession: 'What a visitor is worth, buyers or not',
  ClickThroughRate: 'Visitors who click on a tested page', AddToCartRate: 'Visitors who put something in the cart',
}

export function GoalStep({ form, problems }: DraftEditorProps) {
  return (
    <div class="card stack card-body">
      <DraftField name="hypothesisDescription" label="Hypothesis" problems={problems} help="What you believe and why. It stands beside the result, so that you know later what was tested."
        control={bound => <textarea {...bound} rows={3} maxLength={2000} placeholder="If the button says when we ship, more visitors buy, because they need not ask.">{form.hypothesisDescription}</textarea>} />
      <fieldset class="choice-grid goal-choices">
        <legend>Goal that decides the test</legend>
        {goalNames.map(name => (
          <label key={name} class="choice">
            <input type="radio" name="goal" value={name} checked={form.goal === name} />
            <span class="choice-words"><span>{goals[name].label}</span><small>{meanings[name]}</small></span>
            <span class="choice-tick"><Icon name="check" /></span>
          </label>
        ))}
      </fieldset>
      <p class="note">All five are measured. Only this one names a winner.</p>
      <DraftField name="minimumEffect" label="Smallest change worth finding" problems={problems} help="In percent of the control’s figure. A smaller change needs many more visitors: half the change, four times the visitors."
        control={bound => <span class="row"><input {...bound} class="input-short" inputmode="decimal" value={form.minimumEffect} /><span>%</span></span>} />
    </div>
  )
}

export function PagesStep(props: DraftEditorProps) {
  return props.draft.kind === 'UrlRedirect' ? <RedirectPages {...props} /> : <PatternPages {...props} />
}

function PatternPages({ form, problems, matches, pages }: DraftEditorProps) {
  return (
    <div class="card stack card-body">
      <DraftField name="urlPatterns" label="Pages to test" problems={problems} help={<>One a line. <code>*</code> stands for any part of the address: <code>/products/*</code> is every product page, <code>*</code> the whole shop.</>}
        control={bound => <textarea {...bound} class="code" rows={3} spellcheck={false} placeholder="/products/*">{form.urlPatterns}</textarea>} />
      <details class="page-list" open={matches.length > 0}>
        <summary>{matches.length} of {pages.length} pages match what is saved</summary>
        <PageList pages={matches} />
      </details>
      <details class="page-list">
        <summary>All pages of the shop</summary>
        <PageList pages={pages} />
      </details>
    </div>
  )
}

function PageList({ pages }: { pages: ShopPage[] }) {
  if (pages.length === 0) return <p class="note">None.</p>
  return <ul class="match-list match-list-all">{pages.map(page => <li key={page.url} title={page.title}>{page.url}</li>)}</ul>
}

function RedirectPages(props: DraftEditorProps) {
  const { form, problems, pages, draft } = props
  return (
    <>
      <div class="card stack card-body">
        <div class="field-pair">
          <DraftField name="controlUrl" label="Page to test (control)" problems={problems} help="Visitors of this page take part."
            control={bound => <input {...bound} class="code" list="shop-pages" spellcheck={false} placeholder="/pages/gift-guide" value={form.controlUrl} />} />
          <DraftField name="redirectUrl" label="Where the variant goes" problems={problems} help="Another page of your shop. Query, hash and referrer are kept."
            control={bound => <input {...bound} class="code" list="shop-pages" spellcheck={false} placeholder="/pages/gift-guide-2026" value={form.redirectUrl} />} />
        </div>
        <datalist id="shop-pages">{pages.map(page => <option key={page.url} value={page.url}>{page.title}</option>)}</datalist>
        <div class="row"><button class="secondary" name="act" value="save">Save and show</button><button name="act" value="go:split">Continue to audience and split</button></div>
      </div>
      {draft.controlUrl && draft.redirectUrl && <Preview {...props} />}
    </>
  )
}

export function SplitStep({ form, problems }: DraftEditorProps) {
  const weights = problems.find(p => p.field === 'weights')
  const share = (name: 'controlWeight' | 'variantWeight', label: string, mark: string) => (
    <label class="field"><span class="arm"><span class={mark} />{label}</span>
      <span class="row"><input class="input-short" name={name} value={form[name]} inputmode="decimal" aria-invalid={weights ? 'true' : undefined} aria-describedby={weights ? 'weights-problem' : 'weights-help'} /><span>%</span></span>
    </label>
  )
  return (
    <div class="card stack card-body">
      <section class="stack-tight"><h2>Audience</h2><p class="note">Every visitor of the tested pages takes part.</p></section>
      <section class="stack-tight" aria-labelledby="split-heading">
        <h2 id="split-heading">Split</h2>
        <div class="row row-wide">{share('controlWeight', 'Control', 'arm-mark arm-mark-control')}{share('variantWeight', 'Variant', 'arm-mark')}</div>
        {weights && <Problem id="weights-problem" message={weights.message} />}
        <span class="field-help" id="weights-help">Even shares reach an answer soonest. The split is fixed at launch, and a visitor keeps their arm.</span>
      </section>
      <div class="field-pair">
        <DraftField name="controlTitle" label="Name of the control" problems={problems} control={bound => <input {...bound} value={form.controlTitle} maxLength={120} />} />
        <DraftField name="variantTitle" label="Name of the variant" problems={problems} control={bound => <input {...bound} value={form.variantTitle} maxLength={120} />} />
      </div>
    </div>
  )
}

export function ReviewStep({ draft, open, matches, previews }: DraftEditorProps) {
  const patterns = draft.domSelectors.flatMap(s => s.urlPatterns)
  const changes = draft.domSelectors.flatMap(s => s.actions)
  const rows: [string, ComponentChildren, DraftStep][] = [
    ['Hypothesis', draft.hypothesisDescription || 'Not written', 'goal'],
    ['Goal', `${goals[draft.goal].label}; changes from ${Number((draft.minimumEffect * 100).toFixed(2))}% up`, 'goal'],
    draft.kind === 'PageElement'
      ? ['Pages', patterns.length > 0 ? `${patterns.join(', ')} (${matches.length} ${matches.length === 1 ? 'page' : 'pages'} now)` : 'None named', 'pages']
      : ['Pages', `${draft.controlUrl || 'None'} → ${draft.redirectUrl || 'none'}`, 'pages'],
    ...(draft.kind === 'PageElement' ? [['Changes', <ChangeList changes={changes} />, 'changes'] satisfies [string, ComponentChildren, DraftStep]] : []),
    ['Split', `${draft.weights.map(w => `${Number((w * 100).toFixed(2))}%`).join(' control, ')} variant, everyone takes part`, 'split'],
  ]
  return (
    <div class="card stack card-body">
      {open.length > 0 ? <OpenProblems open={open} /> : <p><b>Ready to launch.</b> The test goes live on your shop at once and runs for at least 14 days, in whole weeks. You can pause or end it at any time; pages, changes and split are fixed from then on.</p>}
      <dl class="review">
        {rows.map(([name, words, step]) => <div key={name}><dt>{name}</dt><dd>{words}</dd><dd><button class="link" name="act" value={`go:${step}`} aria-label={`Edit: ${name}`}>Edit</button></dd></div>)}
      </dl>
      <div class="row">
        <a class="button secondary" href={previews[0]} target="_blank" rel="noopener"><Icon name="eye" />Preview control</a>
        <a class="button secondary" href={previews[1]} target="_blank" rel="noopener"><Icon name="eye" />Preview variant</a>
      </div>
    </div>
  )
}

function ChangeList({ changes }: { changes: DomAction[] }) {
  if (changes.length === 0) return <>None</>
  return <ul class="plain-list">{changes.map((change, i) => <li key={i}>{describeChange(change)} <code>{change.selector}</code></li>)}</ul>
}

function OpenProblems({ open }: { open: FieldProblem[] }) {
  return (
    <div class="banner" data-tone="warn">
      <Icon name="warning" />
      <div><strong>Before it can be launched:</strong>
        <ul class="banner-list">{open.map(p => { const step = stepOfField(p.field); return <li key={p.field}>{p.message}{step && <> <span class="muted">({draftSteps[step]})</span></>}</li> })}</ul>
      </div>
    </div>
  )
}
