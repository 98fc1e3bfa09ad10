import t from 'tap'
import { cartAttribute } from '../../../domain/events/event.ts'
import {
  isTimely,
  lostWhy,
  pixelWait,
  visitorOf,
  withPixel,
} from '../../../domain/orders/order-visitor.ts'
import { priceAttribute } from '../../../domain/prices/price-test.ts'
import { fc } from '../../properties.ts'

t.test('an order says why its visitor is not in its attributes', async t => {
  const why = (attributes: Record<string, string>, isExpress?: boolean) =>
    lostWhy({ attributes, ...(isExpress !== undefined && { isExpress }) })
  t.equal(why({ [cartAttribute]: 'visitor-1' }, true), null)
  t.equal(why({}, true), 'express')
  t.equal(why({}, false), 'absent')
  t.equal(why({}), 'absent', 'the platform does not say it')
  t.equal(why({ [priceAttribute]: 'test-1' }, true), 'cleared')
  t.equal(why({ [cartAttribute]: 'x' }), 'cleared', 'another text stands there')
  t.equal(visitorOf({ attributes: { [cartAttribute]: 'import-12345678' } }), null)
})

t.test('a message of the pixel changes only what nothing else has said', async t => {
  const none = { visitor: null, isByPixel: false, isDisputed: false },
    byPixel = { visitor: 'a', isByPixel: true, isDisputed: false },
    byCart = { visitor: 'a', isByPixel: false, isDisputed: false }
  t.same(withPixel(none, 'a'), byPixel)
  t.equal(withPixel(byPixel, 'a'), null)
  t.equal(withPixel(byCart, 'b'), null)
  t.same(withPixel(byPixel, 'b'), { ...none, isDisputed: true })
  t.equal(withPixel({ ...none, isDisputed: true }, 'a'), null)
})

t.test('the order in which messages arrive does not matter', async () => {
  const after = (messages: string[]) =>
    messages.reduce((known, one) => withPixel(known, one) ?? known, {
      visitor: null as string | null,
      isByPixel: false,
      isDisputed: false,
    })
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }), messages => {
      const [one, two] = [after(messages), after([...messages].reverse())]
      return JSON.stringify(one) === JSON.stringify(two)
    }),
  )
})

t.test('a message is about orders of the same two days', async t => {
  t.ok(isTimely(pixelWait, 0))
  t.ok(isTimely(0, pixelWait))
  t.notOk(isTimely(pixelWait + 1, 0))
})
