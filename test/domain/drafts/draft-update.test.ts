import t from 'tap'
import type { DomSelector } from '../../../domain/drafts/dom-selector.ts'
import {
  lastSave,
  type LastSave,
  saveOrder,
  soundSelectors,
} from '../../../domain/drafts/draft-update.ts'

const by = (page: string, turn: number) => ({ page, turn })

t.test('a page’s next save builds on its last save, even before that one is answered', t => {
  t.same(saveOrder(null, by('one', 1), 5, 5), { version: 5, isLate: false }, 'there is no save yet')
  const first = lastSave(null, by('one', 1), 5, 6)
  t.same(first, { page: 'one', turn: 1, from: 5, made: 6 })
  t.same(saveOrder(first, by('one', 2), 5, 6), { version: 6, isLate: false })
  const second = lastSave(first, by('one', 2), 6, 7)
  t.same(
    saveOrder(second, by('one', 3), 5, 7),
    { version: 7, isLate: false },
    'even when several saves are not answered',
  )
  t.same(
    saveOrder(second, by('one', 2), 5, 7),
    { version: 7, isLate: true },
    'a later save of this page is already stored',
  )
  t.same(
    saveOrder(second, by('one', 3), 4, 7),
    { version: 4, isLate: false },
    'the page began at an older version, which is not its own',
  )
  t.end()
})

t.test('versions that another page or person made meanwhile are not the page’s own', t => {
  const one: LastSave = lastSave(null, by('one', 1), 5, 6)
  t.same(
    saveOrder(one, by('one', 2), 5, 7),
    { version: 5, isLate: false },
    'another person saved since',
  )
  t.same(saveOrder(one, by('two', 2), 5, 6), { version: 5, isLate: false })
  t.same(saveOrder(one, undefined, 5, 6), { version: 5, isLate: false })
  t.same(saveOrder(one, by('one', 2), undefined, 6), { version: undefined, isLate: false })
  const two = lastSave(one, by('two', 1), 6, 7)
  t.same(
    saveOrder(two, by('two', 2), 5, 7),
    { version: 5, isLate: false },
    'the second page began at the version that the first made',
  )
  t.same(saveOrder(two, by('two', 2), 6, 7), { version: 7, isLate: false })
  t.same(
    lastSave(two, by('two', 5), 8, 9).from,
    8,
    'others saved in between, so its versions start again',
  )
  t.end()
})

t.test('only the wrong part of a list of changes keeps its stored value', t => {
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
    'a new change has no stored value',
  )
  t.same(
    soundSelectors(
      [set({ ...action('bad'), kind: 'html' }, action('new'))],
      [set({ ...action('old'), kind: 'text' as never }, action('same'))],
      wrong('domSelectors.0.actions.0.value'),
    ),
    [set(action(''), action('new'))],
    'a change of another kind has no stored value',
  )
  t.same(soundSelectors(given, stored, wrong('domSelectors.0.urlPatterns')), stored)
  t.end()
})
