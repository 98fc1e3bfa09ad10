import { formatCount, formatDate } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import {
  type StaffTest,
  type TestTrouble,
  troubleLabels,
  type TroubledTest,
  testTroubles,
} from '../../domain/staff/staff-tests.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { statusLabels, type TestStatus, testStatuses } from '../../domain/tests/test-status.ts'
import { FilterTab, SortBy } from './admin-list-parts.tsx'
import { StaffHead, StaffList } from './admin-list.tsx'
import type { StaffListState } from './admin-list-state.ts'
import { Icon } from '../icons.tsx'
import { StatusBadge, VerdictBadge } from '../result.tsx'

export type TestsProps = {
  state: StaffListState
  tests: StaffTest[]
  count: number
  counts: Record<TestStatus, number>
}

export const AllTests = ({ state, tests, count, counts }: TestsProps) => (
  <>
    <div class="page-head">
      <h1>All tests</h1>
    </div>
    <StaffList
      state={state}
      count={count}
      shown={tests.length}
      label="Tests"
      placeholder="Test, store or shop"
      noun={['test', 'tests']}
      note="Days are UTC"
      empty={
        state.filters['status']
          ? {
              title: `No test is ${statusLabels[state.filters['status'] as TestStatus].toLowerCase()}`,
              text: 'See the other tabs for tests in other statuses.',
            }
          : { title: 'No tests yet', text: 'A test appears here when a merchant launches it.' }
      }
      tabs={
        <>
          <FilterTab
            state={state}
            filters={{ status: '' }}
            label="All"
            count={testStatuses.reduce((sum, status) => sum + counts[status], 0)}
          />
          {testStatuses.map(status => (
            <FilterTab
              key={status}
              state={state}
              filters={{ status }}
              label={statusLabels[status]}
              count={counts[status]}
            />
          ))}
        </>
      }
    >
      <StaffHead>
        <SortBy state={state} sort="title" label="Test" class="col-store" />
        <SortBy state={state} sort="store" label="Store" class="col-store" />
        <th scope="col">Status</th>
        <SortBy state={state} sort="startAt" label="Started" largest />
        <SortBy state={state} sort="visitors" label="Visitors" largest class="num" />
        <th scope="col">Verdict</th>
      </StaffHead>
      <tbody>
        {tests.map(test => (
          <tr key={test.id}>
            <TestCells test={test} />
            <td>
              <StatusBadge status={test.status} />
            </td>
            <td>
              {test.startAt ? formatDate(test.startAt, 'UTC') : <span class="muted">Not yet</span>}
            </td>
            <td class="num">{formatCount(test.visitors)}</td>
            <td>
              {test.verdict ? (
                <VerdictBadge verdict={test.verdict} />
              ) : (
                <span class="muted">–</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)

const TestCells = ({
  test: { title, kind, store },
}: {
  test: Pick<StaffTest, 'title' | 'kind' | 'store'>
}) => (
  <>
    <th scope="row">
      <span class="cell-link">
        <b title={title.length > 28 ? title : undefined}>{title}</b>
        <span>{testKinds[kind].label}</span>
      </span>
    </th>
    <td>
      <a class="cell-link" href={paths.admin('stores/trials', store.id)}>
        <b>{store.name}</b>
        <span>{store.shop}</span>
      </a>
    </td>
  </>
)

export type TestHealthProps = {
  state: StaffListState
  tests: TroubledTest[]
  count: number
  looked: number
  troubled: number
  troubles: Record<TestTrouble, number>
}

export const TestHealth = ({
  state,
  tests,
  count,
  looked,
  troubled,
  troubles,
}: TestHealthProps) => (
  <>
    <div class="page-head">
      <h1>Health of tests</h1>
    </div>
    <StaffList
      state={state}
      count={count}
      shown={tests.length}
      label="Tests to check"
      placeholder="Test, store or shop"
      noun={['test to check', 'tests to check']}
      note={`${formatCount(looked)} running or on hold`}
      empty={
        looked === 0
          ? {
              title: 'No test is running',
              text: 'Running tests and tests on hold are checked here.',
            }
          : {
              title: 'All tests are in order',
              text: `We checked ${formatCount(looked)} ${looked === 1 ? 'test' : 'tests'}: split, visitors of the last day, holds, checks and the published script.`,
            }
      }
      tabs={
        <>
          <FilterTab state={state} filters={{ trouble: '' }} label="All" count={troubled} />
          {testTroubles
            .filter(name => troubles[name] > 0 || state.filters['trouble'] === name)
            .map(name => (
              <FilterTab
                key={name}
                state={state}
                filters={{ trouble: name }}
                label={troubleLabels[name]}
                count={troubles[name]}
              />
            ))}
        </>
      }
    >
      <StaffHead>
        <SortBy state={state} sort="title" label="Test" class="col-store" />
        <SortBy state={state} sort="store" label="Store" class="col-store" />
        <th scope="col">Status</th>
        <SortBy state={state} sort="visitors" label="Visitors" largest class="num" />
        <th scope="col">Problem</th>
      </StaffHead>
      <tbody>
        {tests.map(test => (
          <tr key={test.id}>
            <TestCells test={test} />
            <td>
              <StatusBadge status={test.status} />
            </td>
            <td class="num">{formatCount(test.visitors)}</td>
            <td>
              {test.troubles.map(({ trouble, message }) => (
                <span key={trouble} class="trouble">
                  <span
                    class="status"
                    data-tone={trouble === 'onHold' || trouble === 'splitBroken' ? 'bad' : 'warn'}
                  >
                    <Icon name="warning" />
                    {troubleLabels[trouble]}
                  </span>
                  <span class="cell-sub">{message}</span>
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)
