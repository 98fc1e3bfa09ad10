import type { TestDraft } from '../../domain/drafts/draft.ts'
import { draftSteps, stepOfField, type DraftStep } from '../../domain/drafts/draft-steps.ts'
import { formatTime } from '../../domain/figures.ts'
import {
  ambersOf,
  type CheckTone,
  type LaunchCheck,
  type LaunchChecks,
  linesOf,
  redsOf,
} from '../../domain/tests/launch-check.ts'
import { paths } from '../../domain/paths.ts'
import type { PriceLaunch } from '../../domain/products/product-form-words.ts'
import { ClosedAction } from '../closed.tsx'
import { FixLink } from './fix-link.tsx'
import { Icon } from '../icons.tsx'
import { Close } from '../modal.tsx'

type ChecksProps = {
  draft: TestDraft
  found: LaunchChecks
  timeZone: string
  /** A launch was asked for and led here. */
  isAsked: boolean
  /** Addresses that ask again; `atOnce` does so even while the browser check runs. */
  again: string
  atOnce: string
}

/**
 * The checks before the launch, each with what to do about it. The list is part of the editor's
 * form. While a browser checks the pages, the list is fetched again to show the progress.
 */
export function DraftChecks({ draft, found, timeZone, isAsked, again, atOnce }: ChecksProps) {
  const { browser } = found,
    isRunning = browser.state === 'running'
  const all = linesOf(found),
    reds = redsOf(all).length
  const open = [...redsOf(all), ...ambersOf(all)],
    passed = all.filter(({ tone }) => tone === 'good')
  const fresh = isRunning
    ? {
        'hx-get': `${paths.draftChecks(draft.id)}${isAsked ? '?ask=1' : ''}`,
        'hx-trigger': 'live:job from:document, every 2s',
        'hx-select': '#launch-checks',
        'hx-target': 'this',
        'hx-swap': 'outerHTML show:none',
      }
    : {}
  return (
    <section class="card" id="launch-checks" aria-labelledby="launch-checks-title" {...fresh}>
      <div class="card-head">
        <h2 id="launch-checks-title">Check list</h2>
        <span class="note" role={isAsked && reds > 0 ? 'alert' : 'status'}>
          {isRunning && reds === 0 ? (
            <span class="badge" data-tone="neutral">
              <Icon name="clock" />
              Checking the pages
            </span>
          ) : (
            <span class="badge" data-tone={toneOf(all)}>
              <Icon name={iconOf[toneOf(all)]} />
              {summary(all)}
            </span>
          )}
        </span>
      </div>
      <div class="card-body stack">
        {open.length > 0 && <Lines checks={open} draft={draft} />}
        {passed.length > 0 && (
          <details class="checks-passed" open={open.length === 0 && passed.length < 2}>
            <summary>
              {passed.length === 1 ? '1 check passed' : `${passed.length} checks passed`}
            </summary>
            <Lines checks={passed} draft={draft} />
          </details>
        )}
        <Browser browser={browser} timeZone={timeZone} />
        {isRunning && isAsked && reds === 0 && (
          <p class="note">
            Both arms are opened before the launch. When that is done, you are asked to confirm.
          </p>
        )}
        <div class="row">
          <button class="secondary" name="act" value="review.check" disabled={isRunning}>
            {browser.checkedAt || isRunning ? 'Check again' : 'Check the pages'}
          </button>
          {isRunning &&
            isAsked &&
            reds === 0 &&
            (draft.kind === 'Price' ? (
              <a href={atOnce}>Launch without waiting</a>
            ) : (
              <button class="link" name="act" value="launchSurely">
                Launch without waiting
              </button>
            ))}
          {isRunning && (
            <noscript>
              {isAsked ? (
                <a href={again}>See progress</a>
              ) : (
                <button class="link" name="act" value="go:review">
                  See progress
                </button>
              )}
            </noscript>
          )}
        </div>
      </div>
    </section>
  )
}

const iconOf = { good: 'check', warn: 'warning', bad: 'warning' } as const
const toneWords: Record<CheckTone, string> = { good: 'Passed', warn: 'Warning', bad: 'To fix' }

const Lines = ({ checks, draft }: { checks: readonly LaunchCheck[]; draft: TestDraft }) => (
  <ul class="launch-checks">
    {checks.map(check => (
      <Line key={`${check.name} ${check.field} ${check.message}`} check={check} draft={draft} />
    ))}
  </ul>
)

function Line({
  check: { name, tone, title, message, remedy, field, capability, fixAt },
  draft,
}: {
  check: LaunchCheck
  draft: TestDraft
}) {
  const step = tone === 'good' || field === null ? null : stepOfField(field, draft.kind)
  return (
    <li data-tone={tone}>
      <Icon name={iconOf[tone]} />
      <div>
        <strong>{title}</strong>
        <span class="visually-hidden">, {toneWords[tone].toLowerCase()}</span>{' '}
        <span>{message}</span>
        {tone !== 'good' && (remedy || step) && (
          <p class="note">
            {remedy}{' '}
            {capability ? (
              <ClosedAction
                capability={capability}
                at={`${paths.draft(draft.id)}?step=review`}
                class=""
              />
            ) : (
              isOfPlan.has(name) && (
                <a href={paths.settings('billing')} hx-boost="false">
                  See plans
                </a>
              )
            )}
            <FixLink check={name} fixAt={fixAt} />
            {step && (
              <>
                {capability && ' ·'} <StepLink step={step} title={title} />
              </>
            )}
          </p>
        )}
      </div>
    </li>
  )
}

/** Problems that a larger plan, or any plan, solves. */
const isOfPlan = new Set<LaunchCheck['name']>(['plan', 'visitors'])

const StepLink = ({ step, title }: { step: DraftStep; title: string }) => (
  <button
    class="link"
    name="act"
    value={`go:${step}`}
    aria-label={`${title}: go to ${draftSteps[step].toLowerCase()}`}
  >
    Go to {draftSteps[step].toLowerCase()}
  </button>
)

/** The progress of the browser check, or when it was made. */
function Browser({
  browser: { state, checkedAt, progress, message },
  timeZone,
}: {
  browser: LaunchChecks['browser']
  timeZone: string
}) {
  switch (state) {
    case 'running':
      return (
        <div class="stack-tight" role="status">
          <p class="note">{message ?? 'Waiting for the browser to start'}</p>
          <progress value={progress} max={1} aria-label="Pages looked at" />
        </div>
      )
    case 'done':
    case 'stale':
      return (
        <p class="note">
          The pages were opened in a browser at {formatTime(checkedAt!, timeZone)}.
        </p>
      )
    case 'failed':
    case 'none':
      return null
  }
}

function summary(all: readonly LaunchCheck[]): string {
  const count = (tone: CheckTone) => all.filter(check => check.tone === tone).length
  const reds = count('bad'),
    ambers = count('warn')
  if (reds > 0) return `${reds === 1 ? '1 problem' : `${reds} problems`} to fix`
  return ambers > 0
    ? `Ready, with ${ambers === 1 ? '1 warning' : `${ambers} warnings`}`
    : 'Ready to launch'
}

const toneOf = (all: readonly LaunchCheck[]): CheckTone =>
  (['bad', 'warn'] as const).find(tone => all.some(check => check.tone === tone)) ?? 'good'

type DialogProps = {
  draft: TestDraft
  asked: LaunchCheck[]
  /** No browser has checked the pages as they are now. */
  isUnseen: boolean
  isRunning: boolean
  /** What the merchant must confirm in a price test; null in a test of another kind. */
  prices: PriceLaunch | null
}

/**
 * Asks for confirmation before a launch that led to the review. Its buttons belong to the editor's
 * form.
 */
export function LaunchDialog({ draft, asked, isUnseen, isRunning, prices }: DialogProps) {
  return (
    <dialog id="launch-asks" aria-labelledby="launch-asks-title" open>
      <div class="modal modal-launch">
        <h2 id="launch-asks-title">
          Launch {draft.title.trim() ? `“${draft.title.trim()}”` : 'this test'}?
        </h2>
        {prices && <PriceFacts {...prices} />}
        {asked.length > 0 ? (
          <ul class="launch-checks">
            {asked.map(({ name, title, message, remedy }) => (
              <li key={`${name} ${message}`} data-tone="warn">
                <Icon name="warning" />
                <div>
                  <strong>{title}</strong> <span>{message}</span>
                  {remedy && <p class="note">{remedy}</p>}
                </div>
              </li>
            ))}
          </ul>
        ) : (
          !prices && <p>All checks passed.</p>
        )}
        <footer>
          <Close href={`${paths.draft(draft.id)}?step=review`}>Not yet</Close>
          {isUnseen && !isRunning && (
            <button class="secondary" form="draft" name="act" value="review.checkFirst">
              Check the pages first
            </button>
          )}
          <button form="draft" name="act" value="launchSurely">
            {prices
              ? prices.isLater
                ? 'Schedule new prices'
                : 'Launch new prices'
              : isUnseen
                ? 'Launch without checking'
                : asked.length > 0
                  ? 'Launch anyway'
                  : 'Launch test'}
          </button>
        </footer>
      </div>
    </dialog>
  )
}

const PriceFacts = ({ lead, facts }: PriceLaunch) => (
  <>
    <p>{lead}</p>
    <dl class="price-facts">
      {facts.map(([name, words]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  </>
)
