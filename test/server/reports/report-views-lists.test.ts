import t from 'tap'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { summarise } from '../../../domain/reports/summary-build.ts'
import { listItem, tests } from '../../../views/design/design-example-tests.ts'
import { TestRows } from '../../../views/tests/tests-rows.tsx'
import { inputAt } from '../../domain/support/results.ts'
import { textOf } from '../support/merchant.ts'

t.test('the lists of tests say what one arm lacks when both together have enough', t => {
  const summary = summarise(
    inputAt(3, [
      { visitors: 1000, buyers: 30 },
      { visitors: 1000, buyers: 2 },
    ]),
  )
  const html = renderToString(
    h(
      'table',
      null,
      h(TestRows, {
        state: {
          tab: 'Active',
          page: 0,
          perPage: 10,
          sort: 'createdAt',
          descending: true,
          search: '',
          kind: null,
          goal: null,
        },
        tests: [listItem({ ...tests.leaning, goal: 'ConversionRate', summary })],
        timeZone: 'UTC',
        now: new Date(summary.updatedAt),
      }),
    ),
  )
  t.match(textOf(html), /– CVR 2 of 5 buyers in the variant Collecting/)
  t.end()
})

t.test('the lists of tests compare nothing when the split is broken', async t => {
  const html = renderToString(
    h(
      'table',
      null,
      h(TestRows, {
        state: {
          tab: 'Active',
          page: 0,
          perPage: 10,
          sort: 'createdAt',
          descending: true,
          search: '',
          kind: null,
          goal: null,
        },
        tests: [listItem(tests.splitBroken)],
        timeZone: 'UTC',
        now: new Date(tests.splitBroken.summary.updatedAt),
      }),
    ),
  )
  t.match(textOf(html), /– CVR Not compared Split broken/)
  t.notMatch(html, /class="(interval|chance)"[^>]*data-tone/)
})
