import type { TestListItem } from '../../domain/tests/ab-test.ts'
import { formatCount, formatDate, formatRate } from '../../domain/figures.ts'
import { goals } from '../../domain/reports/goal.ts'
import type { LiftAssist as Assist, LiftAssists } from '../../domain/lift-assist/lift-assist.ts'
import { paths } from '../../domain/paths.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { Closed } from '../closed.tsx'
import { Icon } from '../icons.tsx'
import { Notice } from '../notice.tsx'
import { Lift, VerdictBadge } from '../result.tsx'

type LiftAssistProps = {
  isOpen: boolean
  /** The words that the proposals must contain; empty for all. */
  search: string
  proposals: LiftAssists | null
  ended: TestListItem[]
  timeZone: string
}

/**
 * The page of proposals for the next tests, from the shop's traffic, and of what its ended tests
 * have found.
 */
export function LiftAssist({ isOpen, search, proposals, ended, timeZone }: LiftAssistProps) {
  if (!isOpen || !proposals)
    return (
      <>
        <div class="page-head">
          <h1>Lift Assist</h1>
        </div>
        <Closed capability="LiftAssists" at={paths.recommendations()} />
      </>
    )
  return (
    <>
      <div class="page-head">
        <h1>Lift Assist</h1>
        <p class="note page-facts">
          {proposals.days > 0
            ? `What to test next, from ${formatCount(proposals.days)} full ${proposals.days === 1 ? 'day' : 'days'} of your shop’s own visits.`
            : 'What to test next, from your shop’s own visits.'}
        </p>
      </div>
      {(proposals.assists.length > 0 || search !== '') && <Search search={search} />}
      <div id="proposals">
        {proposals.assists.length === 0 ? (
          <NoProposals search={search} reason={proposals.reason} />
        ) : (
          <section class="card table-scroll" aria-label="Proposals">
            <table class="table table-rows proposals">
              <thead>
                <tr>
                  <th scope="col">Proposal</th>
                  <th scope="col">Goal</th>
                  <th scope="col" class="num">
                    Visitors in 28 days
                  </th>
                  <th scope="col" class="num">
                    Smallest change found
                  </th>
                  <th scope="col">
                    <span class="visually-hidden">Draft</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {proposals.assists.map(assist => (
                  <Proposal key={assist.id} assist={assist} search={search} />
                ))}
              </tbody>
            </table>
          </section>
        )}
      </div>
      {ended.length > 0 && (
        <section class="card table-scroll" aria-labelledby="ended">
          <div class="card-head">
            <h2 id="ended">What your ended tests found</h2>
          </div>
          <table class="table table-rows">
            <thead>
              <tr>
                <th scope="col">Test</th>
                <th scope="col">Kind</th>
                <th scope="col">Goal</th>
                <th scope="col" class="num">
                  Lift
                </th>
                <th scope="col">Verdict</th>
                <th scope="col">Ended</th>
              </tr>
            </thead>
            <tbody>
              {ended.map(test => (
                <tr key={test.id}>
                  <th scope="row">
                    <a class="cell-link" href={paths.report(test.id)}>
                      <b>{test.title}</b>
                    </a>
                  </th>
                  <td>{testKinds[test.kind].label}</td>
                  <td>{goals[test.goal].label}</td>
                  <td class="num">
                    <Lift
                      value={test.result?.lift ?? null}
                      tone={
                        test.verdict?.kind === 'winner'
                          ? 'good'
                          : test.verdict?.kind === 'loser'
                            ? 'bad'
                            : 'neutral'
                      }
                    />
                  </td>
                  <td>{test.verdict ? <VerdictBadge verdict={test.verdict} /> : '–'}</td>
                  <td>{test.endedAt ? formatDate(test.endedAt, timeZone) : '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  )
}

/** Finds proposals while the merchant types; without scripts on Enter. */
const Search = ({ search }: { search: string }) => (
  <search aria-label="Proposals">
    <form
      class="toolbar proposals-search"
      action={paths.recommendations()}
      hx-get={paths.recommendations()}
      hx-trigger="input delay:250ms, submit"
      hx-target="#proposals"
      hx-select="#proposals"
      hx-swap="outerHTML"
      hx-replace-url="true"
      hx-sync="this:replace"
    >
      <label class="search-field">
        <span class="visually-hidden">Search proposals by title or page</span>
        <Icon name="search" />
        <input
          type="search"
          name="search"
          value={search}
          placeholder="Title or page"
          maxLength={200}
          autocomplete="off"
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
    </form>
  </search>
)

const NoProposals = ({ search, reason }: { search: string; reason: string | null }) =>
  search === '' ? (
    <Notice
      level={2}
      title="No proposals yet"
      actions={
        <a class="button" href={paths.draft()}>
          Create a test
        </a>
      }
    >
      {reason}
    </Notice>
  ) : (
    <Notice
      level={2}
      title={`Nothing found for “${search}”`}
      actions={
        <a class="button secondary" href={paths.recommendations()}>
          Show all proposals
        </a>
      }
    >
      {reason}
    </Notice>
  )

const Proposal = ({
  assist: { id, title, reason, draft, expectedVisitors, smallestChange, draftId },
  search,
}: {
  assist: Assist
  search: string
}) => (
  <tr>
    <th scope="row">
      <b>{title}</b>
      <br />
      <span class="note">{reason}</span>
    </th>
    <td data-label="Goal">{draft.goal ? goals[draft.goal].label : '–'}</td>
    <td class="num" data-label="Visitors in 28 days">
      {formatCount(expectedVisitors)}
    </td>
    <td class="num" data-label="Smallest change found">
      {smallestChange === null ? '–' : formatRate(smallestChange, 0)}
    </td>
    <td>
      {draftId ? (
        <a class="button secondary" href={paths.draft(draftId)}>
          Open draft<span class="visually-hidden">: {title}</span>
        </a>
      ) : (
        <form method="post" action={paths.recommendations()}>
          {search !== '' && <input type="hidden" name="search" value={search} />}
          <button class="button" name="assist" value={id}>
            Create draft<span class="visually-hidden">: {title}</span>
          </button>
        </form>
      )}
    </td>
  </tr>
)
