import type { DraftStep } from '../../domain/drafts/draft-steps.ts'
import type { Posted } from '../../domain/posted.ts'
import { Icon } from '../icons.tsx'

/** Above a step whose page could not read something from the shop. */
export const ShopSilent = ({ why }: { why: string }) => (
  <div class="banner" data-tone="warn" role="status">
    <Icon name="warning" />
    <div>
      <strong>{why}</strong> What your shop holds cannot be shown or checked right now. You can edit
      and save this draft. Reload the page in a minute to see the rest.
    </div>
  </div>
)

/** What a step shows that comes from the shop. */
const shown: Partial<Record<DraftStep, string>> = {
  theme: 'Your shop’s themes',
  template: 'Your shop’s templates',
  page: 'Your shop’s pages and templates',
  content: 'The content of the variant’s template',
}
/** Fields of the editor's own form, beside those of a step. */
const ofForm = ['title', 'version', 'act', 'savedBy', 'restore']

/**
 * In place of a step that shows what the shop has. What was typed in the step stays in the form, so
 * that saving again sends it again.
 */
export function StepUnread({ step, posted }: { step: DraftStep; posted: Posted }) {
  const kept = Object.entries(posted).flatMap(([name, value]) =>
    ofForm.includes(name) ? [] : [value ?? []].flat().map(each => [name, String(each)] as const),
  )
  return (
    <div class="card stack card-body">
      <p class="note">
        {shown[step] ?? 'This step'} cannot be shown right now.
        {kept.length > 0 && ' What you typed is kept on this page: press Save to send it again.'}
      </p>
      {kept.map(([name, value], i) => (
        <input key={i} type="hidden" name={name} value={value} />
      ))}
    </div>
  )
}

/**
 * In place of the check list before a launch. `busy`: why the shop lets us ask no more for a
 * moment; null when it does not answer.
 */
export const ChecksUnread = ({ busy }: { busy: string | null }) => (
  <section class="card" id="launch-checks" aria-labelledby="launch-checks-title">
    <div class="card-head">
      <h2 id="launch-checks-title">Check list</h2>
    </div>
    <div class="card-body stack">
      <p class="note" role="status">
        {busy
          ? `${busy} The launch cannot be checked before that.`
          : 'Your shop does not answer, so the launch cannot be checked. A test can be launched when the shop answers again.'}
      </p>
      <div class="row">
        <button class="secondary" name="act" value="go:review">
          Try again
        </button>
      </div>
    </div>
  </section>
)
