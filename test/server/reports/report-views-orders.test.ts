import t from 'tap'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { tests } from '../../../views/design/design-example-tests.ts'
import { store } from '../../../views/design/design-examples.ts'
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
  t.match(html, new RegExp(`/tests/${tests.winner.id}\\?ask=orders&amp;part=all#ledger`))
})
