import type { ComponentChildren } from 'preact'
import { describeChange } from '../../../domain/drafts/change-kind.ts'
import { pageGroups, type PageGroup } from '../../../domain/drafts/dom-selector.ts'
import type { TestDraft } from '../../../domain/drafts/draft.ts'
import { named } from '../../../domain/drafts/draft-ready.ts'
import { draftSteps, stepOfField, type DraftStep } from '../../../domain/drafts/draft-steps.ts'
import { formatMoment } from '../../../domain/figures.ts'
import { goals } from '../../../domain/reports/goal.ts'
import { effectWords, type PlanWords } from '../../../domain/drafts/plan-words.ts'
import type { FieldProblem } from '../../../domain/problem.ts'
import { StepCard, type DraftEditorProps } from '../draft-editor.tsx'
import { Icon } from '../../icons.tsx'

type ReviewProps = DraftEditorProps & {
  /** Names of the chosen audiences; empty for everyone. */
  audiences: string[]
  /** Names of themes by id; null when the shop does not answer. */
  themes: Record<string, string> | null
  plan: PlanWords
  /** A price test's products and how far their prices change. */
  prices: string
  /** The checks before the launch (draft-checks.tsx). */
  checks: ComponentChildren
}
type Row = [name: string, words: ComponentChildren, step: DraftStep]

/** All of the draft on one page, and what is still to do before the launch. */
export function ReviewStep(props: ReviewProps) {
  const { draft, open, previews, audiences, plan, checks } = props
  const split = draft.weights.map(w => `${Number((w * 100).toFixed(2))}%`).join(' control, ')
  const rows: Row[] = [
    ['Hypothesis', draft.hypothesisDescription || 'Not written', 'goal'],
    [
      'Goal',
      `${goals[draft.goal].label}; changes of ${effectWords(draft.minimumEffect)} or more`,
      'goal',
    ],
    ...subjectRows(props),
    [
      'Audience',
      audiences.length > 0 ? `Visitors in any of: ${audiences.join(', ')}` : 'Everyone',
      'split',
    ],
    [
      'Split',
      `${split} variant, ${audiences.length > 0 ? 'of the audience' : 'everyone takes part'}`,
      'split',
    ],
    ['Schedule', scheduleWords(props), 'split'],
    ['Planned length', `${plan.title}. ${plan.text}`, 'goal'],
  ]
  return (
    <>
      {checks}
      <StepCard>
        {open.length > 0 ? (
          <OpenProblems open={open} draft={draft} />
        ) : (
          <Ready draft={draft} plan={plan} />
        )}
        <dl class="review">
          {rows.map(([name, words, step]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{words}</dd>
              <dd>
                <button class="link" name="act" value={`go:${step}`} aria-label={`Edit: ${name}`}>
                  Edit
                </button>
              </dd>
            </div>
          ))}
        </dl>
        <div class="row">
          <a class="button secondary" href={previews[0]} target="_blank" rel="noopener">
            <Icon name="eye" />
            Preview control
          </a>
          <a class="button secondary" href={previews[1]} target="_blank" rel="noopener">
            <Icon name="eye" />
            Preview variant
          </a>
        </div>
      </StepCard>
    </>
  )
}

const Ready = ({ draft: { launchAt }, plan }: { draft: TestDraft; plan: PlanWords }) => (
  <p>
    <b>{launchAt ? 'At its start' : 'When you launch'}</b>, the test goes live on your shop. Planned
    length: {plan.title.charAt(0).toLowerCase()}
    {plan.title.slice(1)}. You can pause or end it at any time; its content, audience and split
    cannot be changed after launch.
  </p>
)

function scheduleWords({
  draft: { launchAt, automaticallyEndAt },
  timeZone,
}: DraftEditorProps): string {
  return `${launchAt ? `Starts ${formatMoment(launchAt, timeZone)}` : 'Starts at launch'}; ${automaticallyEndAt ? `ends automatically ${formatMoment(automaticallyEndAt, timeZone)}` : 'runs until you end it'}`
}

function subjectRows({ draft, matches, themes, prices }: ReviewProps): Row[] {
  const patterns = draft.domSelectors.flatMap(s => s.urlPatterns),
    groups = pageGroups(draft.domSelectors)
  const theme = (target: TestDraft['control']) =>
    !target?.themeId
      ? 'none'
      : themes
        ? (themes[target.themeId] ?? 'a theme that is gone')
        : 'a theme whose name your shop does not tell'
  switch (draft.kind) {
    case 'PageElement':
      return [
        [
          'Pages',
          patterns.length > 0
            ? `${patterns.join(', ')} (${matches.length} ${matches.length === 1 ? 'page' : 'pages'} now)`
            : 'None named',
          'pages',
        ],
        ['Changes', <ChangeList groups={groups} />, 'changes'],
      ]
    case 'UrlRedirect':
      return [['Pages', `${draft.controlUrl || 'None'} → ${draft.redirectUrl || 'none'}`, 'pages']]
    case 'Theme':
      return [['Themes', `${theme(draft.control)} → ${theme(draft.variant)}`, 'theme']]
    case 'Template':
      return [
        [
          'Templates',
          `${named(draft.control)} → ${named(draft.variant)}${draft.resourceIds.length > 0 ? `, on ${draft.resourceIds.length} chosen ${draft.resourceIds.length === 1 ? 'page' : 'pages'}` : ''}`,
          'template',
        ],
      ]
    case 'PageContent':
      return [['Page', `${named(draft.control)} → ${named(draft.variant)}`, 'page']]
    case 'Api':
      return [
        [
          'Assignment',
          draft.apiMode === 'manual' ? 'When your code first asks' : 'On the visitor’s first page',
          'code',
        ],
      ]
    case 'Price':
      return [['Products', prices, 'products']]
  }
}

function ChangeList({ groups }: { groups: PageGroup[] }) {
  if (groups.every(({ actions }) => actions.length === 0)) return <>None</>
  return (
    <ul class="plain-list">
      {groups.flatMap(({ actions, urlPatterns }) =>
        actions.map((change, i) => (
          <li key={i}>
            {describeChange(change)} <code>{change.selector}</code>
            {groups[1] && <> on {urlPatterns.join(', ')}</>}
          </li>
        )),
      )}
    </ul>
  )
}

function OpenProblems({ open, draft }: { open: FieldProblem[]; draft: TestDraft }) {
  return (
    <div class="banner" data-tone="warn">
      <Icon name="warning" />
      <div>
        <strong>Fix these before you launch:</strong>
        <ul class="banner-list">
          {open.map(p => {
            const step = stepOfField(p.field, draft.kind)
            return (
              <li key={p.field}>
                {p.message}
                {step && (
                  <>
                    {' '}
                    <span class="muted">({draftSteps[step]})</span>
                  </>
                )}
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}
