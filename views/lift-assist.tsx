import type { TestListItem } from '../domain/ab-test.ts'
import { formatDate } from '../domain/figures.ts'
import { goals } from '../domain/goal.ts'
import { paths } from '../domain/paths.ts'
import { testKinds } from '../domain/test-kind.ts'
import { Notice } from './notice.tsx'
import { Lift, VerdictBadge } from './result.tsx'

/** What the shop's own ended tests have taught, best lift first: the ground a next test stands on. */
export function LiftAssist({ isOpen, ended, timeZone }: { isOpen: boolean; ended: TestListItem[]; timeZone: string }) {
  if (!isOpen) return <><h1 class="visually-hidden">Lift Assist</h1><Notice title="Lift Assist is part of Advanced and Pro">It reads the results of your ended tests and shows what worked on your shop. Your present plan does not include it.</Notice></>
  return (
    <>
      <div class="page-head"><h1>Lift Assist</h1><p class="note page-facts">What worked on your shop so far: build the next test on it.</p></div>
      {ended.length === 0
        ? <Notice title="Nothing learnt yet" actions={<a class="button" href={paths.draft()}>Create a test</a>}>As soon as a test has ended, what it taught is listed here.</Notice>
        : <section class="card table-scroll" aria-label="Ended tests">
          <table class="table table-rows">
            <thead><tr><th scope="col">Test</th><th scope="col">Kind</th><th scope="col">Goal</th><th scope="col" class="num">Lift</th><th scope="col">Verdict</th><th scope="col">Ended</th></tr></thead>
            <tbody>{ended.map(test => (
              <tr key={test.id}>
                <th scope="row"><a class="cell-link" href={paths.report(test.id)}><b>{test.title}</b></a></th>
                <td>{testKinds[test.kind].label}</td><td>{goals[test.goal].label}</td>
                <td class="num"><Lift value={test.result?.lift ?? null} tone={test.verdict?.kind === 'winner' ? 'good' : test.verdict?.kind === 'loser' ? 'bad' : 'neutral'} /></td>
                <td>{test.verdict ? <VerdictBadge verdict={test.verdict} /> : '–'}</td>
                <td>{test.endedAt ? formatDate(test.endedAt, timeZone) : '–'}</td>
              </tr>
            ))}</tbody>
          </table>
        </section>}
    </>
  )
}
