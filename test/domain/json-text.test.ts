import t from 'tap'
import {
  isSameJson,
  type JsonNode,
  jsonTree,
  memberOf,
  rewritten,
  scalarAt,
} from '../../domain/json-text.ts'

const many = 20_000
const text = (value: string, count = many) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value])))
/** A tree that throws when its members are iterated. */
function unread(given: string): JsonNode {
  const tree = jsonTree(given)!
  return Object.defineProperty(tree, 'members', {
    get: () => {
      throw new Error('gone through')
    },
  })
}

t.test('a value is found by its key without iterating over all members', async t => {
  const [one, same, other] = [unread(text('a')), unread(text('a')), unread(text('b'))]
  t.equal(scalarAt(one, 'k7'), 'a')
  t.equal(memberOf(one, 'none'), undefined)
  t.equal(isSameJson(one, same), true)
  t.equal(isSameJson(one, other), false)
  t.equal(isSameJson(one, unread(text('a', many - 1))), false)
})

t.test('when a key occurs twice, the last one is read and the last one is changed', async t => {
  const twice = '{"a": 1, "b": 2, "a": 3}',
    tree = jsonTree(twice)!
  t.equal(scalarAt(tree, 'a'), 3)
  t.equal(isSameJson(tree, jsonTree('{"b": 2, "a": 3}')!), true)
  t.equal(isSameJson(tree, jsonTree('{"b": 2, "a": 1}')!), false)
  t.equal(rewritten(twice, tree, new Map([['a', '4']])), '{"a": 1, "b": 2, "a": 4}')
  t.equal(rewritten(twice, tree, new Map([['c', '5']])), '{"a": 1, "b": 2, "a": 3, "c": 5}')
})
