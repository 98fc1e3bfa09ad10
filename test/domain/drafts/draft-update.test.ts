import t from 'tap'
import type { DomSelector } from '../../../domain/drafts/dom-selector.ts'
import {
  lastSave,
  type LastSave,
  saveOrder,
  soundSelectors,
} from '../../../domain/drafts/draft-update.ts'

const by = (page: string, turn: number) => ({ page, turn })

t.test('a page that saves again before it has heard of its last save stands on that one', t => {
  t.same(saveOrder(null, by('one', 1), 5, 5), { version: 5, isLate: false }, 'nothing is known yet')
  const first = lastSave(null, by('one', 1), 5, 6)
  t.same(first, { page: 'one', turn: 1, from: 5, made: 6 })
  t.same(saveOrder(first, by('one', 2), 5, 6), { version: 6, isLate: false })
  const second = lastSave(first, by('one', 2), 6, 7)
  t.same(
    saveOrder(second, by('one', 3), 5, 7),
    { version: 7, isLate: false },
    'however many of its saves it has not heard of',
  )
  t.same(
    saveOrder(second, by('one', 2), 5, 7),
    { version: 7, isLate: true },
    'what was sent later is stored already',
  )
  t.same(
    saveOrder(second, by('one', 3), 4, 7),
    { version: 4, isLate: false },
    'it began at a version that others made',
  )
  t.end()
})

t.test('what another page or somebody else has made meanwhile is not taken for its own', t => {
  const one: LastSave = lastSave(null, by('one', 1), 5, 6)
  t.same(saveOrder(one, by('one', 2), 5, 7), { version: 5, isLate: false }, 'somebody saved since')
  t.same(saveOrder(one, by('two', 2), 5, 6), { version: 5, isLate: false })
  t.same(saveOrder(one, undefined, 5, 6), { version: 5, isLate: false })
  t.same(saveOrder(one, by('one', 2), undefined, 6), { version: undefined, isLate: false })
  const two = lastSave(one, by('two', 1), 6, 7)
  t.same(
    saveOrder(two, by('two', 2), 5, 7),
    { version: 5, isLate: false },
    'the second page began at what the first had made',
  )
  t.same(saveOrder(two, by('two', 2), 6, 7), { version: 7, isLate: false })
  t.same(lastSave(two, by('two', 5), 8, 9).from, 8, 'others saved in between: it begins anew')
  t.end()
})

t.test('of changes what is wrong alone stays as it is stored', t => {
  const action = (value: string, selector = '.a') => ({
    selector,
    kind: 'html' as const,
    value,
    name: '',
  })
  const set = (...actions: ReturnType<typeof action>[]): DomSelector => ({
    id: 'x',
    urlPatterns: ['/'],
    actions,
  })
  const wrong = (...fields: string[]) => fields.map(field => ({ field, message: 'No.' }))
  const stored = [set(action('old', '.b'), action('same'))]
  const given = [set(action('bad'), action('new'))]
  t.same(soundSelectors(given, stored, []), given)
  t.same(soundSelectors(given, stored, wrong('title', 'domSelectors.0.actions.0.value')), [
    set(action('old', '.a'), action('new')),
  ])
  t.same(
    soundSelectors([set(action('bad'))], stored, wrong('domSelectors.0.actions.0.value')),
    [set(action(''))],
    'a change that is new has nothing to stay at',
  )
  t.same(
    soundSelectors(
      [set({ ...action('bad'), kind: 'html' }, action('new'))],
      [set({ ...action('old'), kind: 'text' as never }, action('same'))],
      wrong('domSelectors.0.actions.0.value'),
    ),
    [set(action(''), action('new'))],
    'nor has one of another kind',
  )
  t.same(soundSelectors(given, stored, wrong('domSelectors.0.urlPatterns')), stored)
  t.end()
})
