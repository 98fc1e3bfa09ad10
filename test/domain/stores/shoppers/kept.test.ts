import t from 'tap'
import { keptWithin } from '../../../../domain/stores/shoppers/kept.ts'

t.test('the values used last stay, up to a number of bytes', async t => {
  const kept = keptWithin<string>(100)
  for (const key of ['a', 'b', 'c']) kept.set(key, key, 30)
  t.equal(kept.get('a'), 'a')
  kept.set('d', 'd', 30)
  t.same([...kept.values()], ['c', 'a', 'd'], 'b was unused for longest')
  t.equal(kept.bytes(), 90)
  kept.set('c', 'other', 10)
  t.equal(kept.bytes(), 70, 'a replaced value is not counted')
  kept.set('large', 'large', 95)
  t.same([[...kept.values()], kept.bytes()], [['large'], 95])
  kept.set('too large', 'x', 101)
  t.equal(kept.get('too large'), undefined)
  t.equal(kept.get('large'), 'large', 'a value that is too large removes no other')
  kept.set('large', 'x', 101)
  t.same(
    [kept.size(), kept.bytes()],
    [0, 0],
    'the old value of a key is removed, because it would be wrong',
  )
  kept.delete('never there')
  t.equal(kept.bytes(), 0)
})

t.test('values that are over are removed first, even when there is room', async t => {
  const over = new Set<string>(),
    kept = keptWithin<string>(1_000, value => over.has(value))
  for (const key of ['a', 'b', 'c']) kept.set(key, key, 1)
  over.add('a').add('b')
  kept.set('d', 'd', 1)
  t.same([...kept.values()], ['c', 'd'])
})
