import t from 'tap'
import { addReconciled, reconciledInWords } from '../../../domain/platform/reconciled.ts'

t.test('what a night found is said in words, and added up', async t => {
  t.equal(reconciledInWords({}), null)
  t.equal(reconciledInWords({ orders: 0 }), null)
  t.equal(
    reconciledInWords({ uninstalls: 1, orders: 2, refunds: 1 }),
    '2 orders, 1 refund or cancellation, 1 uninstall',
  )
  t.same(addReconciled({ orders: 2, themes: 1 }, { orders: 1, tests: 3 }), {
    orders: 3,
    themes: 1,
    tests: 3,
  })
  t.same(addReconciled({}, {}), {})
})
