import t from 'tap'
import { keptWithin } from '../../../../domain/stores/shoppers/kept.ts'

t.test('what was used last stays, up to so many bytes', async t => {
  const kept = keptWithin<string>(100)
  for (const key of ['a', 'b', 'c']) kept.set(key, key, 30)
  t.equal(kept.get('a'), 'a')
  kept.set('d', 'd', 30)
  t.same([...kept.values()], ['c', 'a', 'd'], 'b was used longest ago')
  t.equal(kept.bytes(), 90)
  kept.set('c', 'other', 10)
  t.equal(kept.bytes(), 70, 'what takes a place again is counted once')
  kept.set('large', 'large', 95)
  t.same([[...kept.values()], kept.bytes()], [['large'], 95])
  kept.set('too large', 'x', 101)
  t.equal(kept.get('too large'), undefined)
  t.equal(kept.get('large'), 'large', 'nothing goes for what is not kept')
  kept.set('large', 'x', 101)
  t.same([kept.size(), kept.bytes()], [0, 0], 'its old value would be wrong')
  kept.delete('never there')
  t.equal(kept.bytes(), 0)
})

t.test('what nobody will ask for again goes first, although there is room', async t => {
  const over = new Set<string>(),
    kept = keptWithin<string>(1_000, value => over.has(value))
  for (const key of ['a', 'b', 'c']) kept.set(key, key, 1)
  over.add('a').add('b')
  kept.set('d', 'd', 1)
  t.same([...kept.values()], ['c', 'd'])
})
