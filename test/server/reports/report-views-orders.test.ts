import t from 'tap'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { tests } from '../../../views/design/design-example-tests.ts'
import { store } from '../../../views/design/design-examples.ts'
import { Ledger } from '../../../views/reports/report-ledger.tsx'
import { TestOrders } from '../../../views/reports/tabs/report-orders.tsx'
import { textOf } from '../support/merchant.ts'
import { line } from '../support/report-views-page.ts'

t.test('an order says for which arm it counts, or why for none', async t => {
  const order = {
    id: 'o',
    name: '#1001',
    createdAt: '2026-11-08T09:00:00Z',
    type: 'oneTime' as const,
    amount: 4800,
    refunded: 9900,
    address: 'https://shop.example/admin/orders/1001',
    arm: 1,
    reason: null,
    visitor: {
      id: 'v',
      arm: 1,
      firstExposedAt: '2026-11-07T10:00:00Z',
      device: 'phone' as const,
      channel: 'email' as const,
      isNew: false,
      country: 'DE',
    },
    way: 'attribute' as const,
    lost: null,
    lines: [{ title: '<b>Mug', quantity: 2, amount: 4800, isSubscription: true }],
  }
  const before = {
    ...order,
    id: 'b',
    name: '#1002',
    address: null,
    arm: null,
    reason: 'beforeExposure' as const,
    visitor: { ...order.visitor, firstExposedAt: '2026-11-09T10:00:00Z' },
  }
  const stranger = {
    ...order,
    id: 's',
    name: '',
    address: null,
    arm: null,
    reason: 'noConsent' as const,
    way: 'none' as const,
    lost: 'absent' as const,
    visitor: null,
    refunded: 0,
    lines: [],
  }
  const html = renderToString(
    h(TestOrders, {
      test: tests.winner,
      state: { part: 'all', page: 1, search: '' },
      orders: {
        rows: [order, before, stranger],
        isKept: true,
        count: 13,
        total: line(13, 62_400, 9900),
      },
      store,
    }),
  )
  const text = textOf(html)
  t.match(
    text,
    /#1001 in your shop.s admin, opens in a new tab 8 Nov 2026, 04:00 One-time Variant Saw the test 7 Nov, 05:00 Phone, returning Email, DE \$48\.00 \$99\.00 more than the order 2 items 2 × /,
    'the number of items, not of lines',
  )
  t.match(
    html,
    '<a href="https://shop.example/admin/orders/1001" target="_blank" rel="noopener">#1001',
  )
  t.match(
    text,
    'No arm: before meeting the test Saw the test on 9 Nov, 05:00, ordered on 8 Nov, 04:00',
  )
  t.match(text, 'No arm: no visitor known (no consent, or not bought in the online shop) Not known')
  t.match(text, /13 orders \$624\.00 \$99\.00 11–13 of 13, newest first Page 2 of 2/)
  t.notMatch(html, '<b>Mug')
  const closed = renderToString(
    h(TestOrders, {
      test: tests.winner,
      state: { part: 'all', page: 0, search: '' },
      orders: {
        rows: [{ ...order, type: null }],
        isKept: true,
        count: 1,
        total: line(1, 4800, 9900),
      },
      store,
    }),
  )
  t.notMatch(textOf(closed), /Type|One-time/, 'the plan does not open the type of orders')
  t.match(html, new RegExp(`/tests/${tests.winner.id}\\?ask=orders&amp;part=all#ledger`))
})

t.test('an order says how its visitor is known, and the ledger says it in shares', async t => {
  const { summary } = tests.winner
  const row = {
    id: 'x',
    name: '#7',
    createdAt: '2026-11-08T09:00:00Z',
    type: 'oneTime' as const,
    amount: 100,
    refunded: 0,
    address: null,
    arm: null,
    reason: 'expressCheckout' as const,
    way: 'none' as const,
    lost: 'express' as const,
    visitor: null,
    lines: [],
  }
  const visitor = {
    id: 'v',
    arm: 0,
    firstExposedAt: '2026-11-07T10:00:00Z',
    device: 'phone' as const,
    channel: 'email' as const,
    isNew: false,
    country: 'DE',
  }
  const text = textOf(
    renderToString(
      h(TestOrders, {
        test: tests.winner,
        state: { part: 'all', page: 0, search: '' },
        orders: {
          rows: [
            row,
            { ...row, id: 'y', arm: 0, reason: null, way: 'pixel', lost: null, visitor },
            { ...row, id: 'z', reason: 'attributeCleared', lost: 'disputed' },
          ],
          isKept: true,
          count: 3,
          total: line(3, 300, 0),
        },
        store,
      }),
    ),
  )
  t.match(
    text,
    'No arm: express checkout, without consent to the checkout pixel Express checkout left out the cart’s attributes, and the buyer’s browser did not run our checkout pixel',
  )
  t.match(text, 'Phone, returning Email, DE Known by the checkout pixel')
  t.match(text, 'Two messages of the checkout pixel named different browsers')
  const shown = (ledger: typeof summary.ledger) =>
    textOf(
      renderToString(
        h(Ledger, {
          test: { ...tests.winner, summary: { ...summary, ledger } },
          store,
          showsTypes: true,
        }),
      ),
    )
  const ways = [
    { way: 'attribute' as const, orders: 90 },
    { way: 'pixel' as const, orders: 10 },
    { way: 'none' as const, orders: 0 },
  ]
  t.match(
    shown({ ...summary.ledger, total: line(100, 1, 0), ways }),
    'How we know each order’s visitor: cart attribute 90.0%, checkout pixel 10.0%.',
  )
  const { ways: _, ...older } = summary.ledger
  t.notMatch(shown(older), 'How we know', 'an older summary does not say it')
})

t.test('without the types of orders, no line of the ledger names a renewal', async t => {
  const summary = {
    ...tests.winner.summary,
    ledger: {
      ...tests.winner.summary.ledger,
      excluded: [{ reason: 'renewal' as const, ...line(2, 1000, 0) }],
    },
  }
  const test = { ...tests.winner, summary }
  const shown = (showsTypes: boolean) =>
    textOf(
      renderToString(h(Ledger, { test, store, showsTypes })) +
        renderToString(
          h(TestOrders, {
            test,
            state: { part: 'renewal', page: 0, search: '' },
            orders: { rows: [], isKept: true, count: 0, total: line(0, 0, 0) },
            store,
            showsTypes,
          }),
        ),
    )
  t.match(shown(true), /Left out: renewal of a subscription 2.*Left out: renewal of a subscription/)
  t.match(shown(false), /Left out: other reason 2.*Left out: other reason/)
  t.notMatch(shown(false), /renewal/i)
})
