import type { TestDraft } from '../domain/draft.ts'
import { draftSteps, stepOfField, type DraftStep } from '../domain/draft-steps.ts'
import { formatTime } from '../domain/figures.ts'
import { type CheckTone, type LaunchCheck, type LaunchChecks, linesOf, redsOf } from '../domain/launch-check.ts'
import { paths } from '../domain/paths.ts'
import { ClosedAction } from './closed.tsx'
import { Icon } from './icons.tsx'

type ChecksProps = {
  draft: TestDraft
  found: LaunchChecks
  timeZone: string
  /** A launch was asked for and led here. */
  isAsked: boolean
  /** Where that is asked again. */
  again: string
}

/**
 * What is looked at before the launch, each with what to do about it. It stands in the editor's form; while a browser
 * goes through the pages it is drawn again as that gets on.
 */
export function DraftChecks({ draft, found, timeZone, isAsked, again }: ChecksProps) {
  const { browser } = found, isRunning = browser.state === 'running'
  const all = linesOf(found), reds = redsOf(all).length
  const fresh = isRunning ? { 'hx-get': `${paths.draftChecks(draft.id)}${isAsked ? '?ask=1' : ''}`, 'hx-trigger': 'live:job from:document, every 2s', 'hx-select': '#launch-checks', 'hx-target': 'this', 'hx-swap': 'outerHTML show:none' } : {}
  return (
    <section class="card" id="launch-checks" aria-labelledby="launch-checks-title" {...fresh}>
      <div class="card-head">
        <h2 id="launch-checks-title">Check list</h2>
        <span class="note" role={isAsked && reds > 0 ? 'alert' : 'status'}>
          {isRunning && reds === 0 ? <span class="badge" data-tone="neutral"><Icon name="clock" />Looking at the pages</span> : <span class="badge" data-tone={toneOf(all)}><Icon name={iconOf[toneOf(all)]} />{summary(all)}</span>}
        </span>
      </div>
      <div class="card-body stack">
        <ul class="launch-checks">{all.map(check => <Line key={`${check.name} ${check.field} ${check.message}`} check={check} draft={draft} />)}</ul>
        <Browser browser={browser} timeZone={timeZone} />
        {isRunning && isAsked && reds === 0 && <p class="note">Both arms are opened before the launch. You are asked as soon as that is done.</p>}
        <div class="row">
          <button class="secondary" name="act" value="review.check" disabled={isRunning}>{browser.checkedAt || isRunning ? 'Check again' : 'Check the pages'}</button>
          {isRunning && isAsked && reds === 0 && <button class="link" name="act" value="launchSurely">Launch without waiting</button>}
          {isRunning && <noscript>{isAsked ? <a href={again}>See how far it is</a> : <button class="link" name="act" value="go:review">See how far it is</button>}</noscript>}
        </div>
      </div>
    </section>
  )
}

const iconOf = { good: 'check', warn: 'warning', bad: 'warning' } as const
const toneWords: Record<CheckTone, string> = { good: 'In order', warn: 'Worth knowing', bad: 'In the way' }

function Line({ check: { name, tone, title, message, remedy, field, capability }, draft }: { check: LaunchCheck; draft: TestDraft }) {
  const step = tone === 'good' || field === null ? null : stepOfField(field, draft.kind)
  return (
    <li data-tone={tone}>
      <Icon name={iconOf[tone]} />
      <div>
        <strong>{title}</strong><span class="visually-hidden">, {toneWords[tone].toLowerCase()}</span> <span>{message}</span>
        {tone !== 'good' && (remedy || step) && (
          <p class="note">
            {remedy} {capability ? <ClosedAction capability={capability} at={`${paths.draft(draft.id)}?step=review`} class="" /> : isOfPlan.has(name) && <a href={paths.settings('billing')} hx-boost="false">See plans</a>}
            {step && <>{capability && ' ·'} <StepLink step={step} title={title} /></>}
          </p>
        )}
      </div>
    </li>
  )
}

/** What a larger plan, or any, does away with. */
const isOfPlan = new Set<LaunchCheck['name']>(['plan', 'visitors'])

const StepLink = ({ step, title }: { step: DraftStep; title: string }) =>
  <button class="link" name="act" value={`go:${step}`} aria-label={`${title}: go to ${draftSteps[step].toLowerCase()}`}>Go to {draftSteps[step].toLowerCase()}</button>

/** How far the browser is, or when it looked. */
function Browser({ browser: { state, checkedAt, progress, message }, timeZone }: { browser: LaunchChecks['browser']; timeZone: string }) {
  switch (state) {
    case 'running': return <div class="stack-tight" role="status"><p class="note">{message ?? 'Waiting for the browser to start'}</p><progress value={progress} max={1} aria-label="Pages looked at" /></div>
    case 'done': case 'stale': return <p class="note">The pages were opened in a browser at {formatTime(checkedAt!, timeZone)}.</p>
    case 'failed': case 'none': return null
  }
}

function summary(all: readonly LaunchCheck[]): string {
  const count = (tone: CheckTone) => all.filter(check => check.tone === tone).length
  const reds = count('bad'), ambers = count('warn')
  if (reds > 0) return `${reds === 1 ? '1 thing stands' : `${reds} things stand`} in the way`
  return ambers > 0 ? `Ready; ${ambers === 1 ? '1 thing' : `${ambers} things`} worth knowing` : 'Ready to launch'
}

const toneOf = (all: readonly LaunchCheck[]): CheckTone => (['bad', 'warn'] as const).find(tone => all.some(check => check.tone === tone)) ?? 'good'

type DialogProps = {
  draft: TestDraft
  asked: LaunchCheck[]
  /** No browser has looked at the pages as they are now. */
  isUnseen: boolean
}

/** Asked once more before a launch that led to the review. Its buttons are the editor's own. */
export function LaunchDialog({ draft, asked, isUnseen }: DialogProps) {
  return (
    <dialog id="launch-asks" aria-labelledby="launch-asks-title" open>
      <div class="modal">
        <h2 id="launch-asks-title">Launch {draft.title.trim() ? `“${draft.title.trim()}”` : 'this test'}?</h2>
        {asked.length > 0
          ? <ul class="launch-checks">{asked.map(({ name, title, message, remedy }) => <li key={`${name} ${message}`} data-tone="warn"><Icon name="warning" /><div><strong>{title}</strong> <span>{message}</span>{remedy && <p class="note">{remedy}</p>}</div></li>)}</ul>
          : <p>Nothing stands in the way.</p>}
        <footer>
          <button class="secondary" type="button" command="close" commandfor="launch-asks">Not yet</button>
          {isUnseen && <button class="secondary" form="draft" name="act" value="review.checkFirst">Check the pages first</button>}
          <button form="draft" name="act" value="launchSurely">{isUnseen ? 'Launch without looking' : asked.length > 0 ? 'Launch anyway' : 'Launch test'}</button>
        </footer>
      </div>
    </dialog>
  )
}
