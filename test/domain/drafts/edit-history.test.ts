import t from 'tap'
import {
  type Edit,
  type EditHistory,
  fieldChange,
  type Fields,
  maxCharacters,
  maxEdits,
  moved,
  nextEdit,
  noHistory,
  record,
  valuesOf,
} from '../../../islands/drafts/edit-history.ts'
import {
  addressAt,
  arrive,
  type Arrived,
  type Session,
} from '../../../islands/drafts/edit-session.ts'
import { changesLabel } from '../../../islands/drafts/edit-words.ts'
import { undoKeys } from '../../../domain/drafts/undo-keys.ts'

const edit = (before: Fields, after: Fields, label = 'Hypothesis'): Edit => ({
  label,
  at: '?step=goal',
  fields: fieldChange(before, after)!,
})
const typed = (...texts: string[]): EditHistory =>
  texts
    .slice(1)
    .reduce(
      (history, text, i) => record(history, edit({ text: [texts[i]!] }, { text: [text] }), i > 0),
      noHistory,
    )

t.test('an edit has the changed fields, each with its old and new value', async t => {
  const fields = { goal: ['A'], audienceIds: ['', 'one'] }
  t.equal(fieldChange(fields, { ...fields }), null)
  t.same(fieldChange(fields, { goal: ['A'], audienceIds: [''], extra: ['x'] }), {
    audienceIds: { before: ['', 'one'], after: [''] },
    extra: { before: null, after: ['x'] },
  })
})

t.test('an undone edit can be redone until another edit is made', async t => {
  const first = edit({ a: ['1'] }, { a: ['2'] }),
    second = edit({ b: ['1'] }, { b: ['2'] })
  const both = record(record(noHistory, first), second),
    back = moved(both, 'undo')
  t.equal(nextEdit(both, 'undo'), second)
  t.same(valuesOf(second, 'undo'), { b: ['1'] })
  t.same([nextEdit(back, 'undo'), nextEdit(back, 'redo')], [first, second])
  t.same(moved(back, 'redo'), both)
  t.same(record(back, first), { past: [first, first], future: [] })
  t.equal(nextEdit(noHistory, 'undo'), undefined)
})

t.test('letters typed one after another are one edit; typed and deleted, no edit', async t => {
  const { past } = typed('', 'a', 'ab', 'abc')
  t.equal(past.length, 1)
  t.same(valuesOf(past[0]!, 'undo'), { text: [''] })
  t.same(valuesOf(past[0]!, 'redo'), { text: ['abc'] })
  t.same(typed('', 'a', ''), noHistory)
  const other = record(typed('', 'a'), edit({ name: [''] }, { name: ['b'] }), true)
  t.equal(other.past.length, 2, 'another field is another edit')
  const elsewhere = record(
    typed('', 'a'),
    { ...edit({ text: ['a'] }, { text: ['b'] }), at: '?step=split' },
    true,
  )
  t.equal(elsewhere.past.length, 2)
  t.equal(
    record(typed('', 'a'), edit({ text: ['a'] }, { text: ['b'] })).past.length,
    2,
    'a choice is a separate edit',
  )
})

t.test('a tab keeps a limited number of edits and of their characters', async t => {
  const many = Array.from({ length: maxEdits + 5 }, (_, i) =>
    edit({ a: [`${i}`] }, { a: [`${i + 1}`] }),
  ).reduce((history, each) => record(history, each), noHistory)
  t.equal(many.past.length, maxEdits)
  t.same(valuesOf(many.past[0]!, 'undo'), { a: ['5'] })
  const long = edit({ a: [''] }, { a: ['x'.repeat(maxCharacters * 0.6)] })
  t.equal(record(record(noHistory, long), long).past.length, 1)
  const endless = edit({ a: [''] }, { a: ['x'.repeat(maxCharacters)] })
  t.same(
    record(many, endless),
    noHistory,
    'edits before one that is too long to undo cannot be undone',
  )
})

t.test('an edit of the list of changes has a label that says what happened', async t => {
  const text = { selector: '.buy', kind: 'text' as const, name: '', value: 'Buy' }
  const colour = { selector: 'h1', kind: 'style' as const, name: 'color', value: '#fff' }
  const label = (before: object[], after: object[]) =>
    changesLabel(before as never, after as never, selector =>
      selector === '.buy' ? 'Button “Buy”' : selector,
    )
  t.equal(label([colour], [colour, text]), 'Text of Button “Buy”')
  t.equal(label([colour, text], [{ ...colour, value: '#000' }, text]), 'Text colour of h1')
  t.equal(label([colour, text], [text]), 'Removed text colour of h1')
  t.equal(label([colour, text], []), 'Removed 2 changes')
  t.equal(
    label([], [{ ...text, kind: 'insertAfter', value: '<p>Hi</p>' }]),
    'New element beside Button “Buy”',
  )
  t.equal(
    label(
      [text, text],
      [
        { ...text, selector: '.card' },
        { ...text, selector: '.card' },
      ],
    ),
    'Element of 2 changes',
  )
  t.equal(
    label(
      [text, colour],
      [
        { ...text, value: 'Ok' },
        { ...colour, value: 'red' },
      ],
    ),
    '2 changes',
  )
  t.equal(label([text, colour], [colour, text]), 'Order of changes')
})

const fields = { hypothesis: ['They hesitate.'] }
const session: Session = {
  history: record(noHistory, edit({ hypothesis: [''] }, fields)),
  version: 4,
  pages: ['mine'],
  at: '?step=goal',
  fields,
  kept: null,
  going: null,
}
const page: Arrived = {
  at: '?step=goal',
  version: 4,
  fields,
  kept: null,
  by: null,
  isConflict: false,
  isRefused: false,
}

t.test(
  'a tab keeps its history while it made the draft’s version; another person’s version ends it',
  async t => {
    t.same(arrive(null, page), { history: noHistory, isElsewhere: false, edit: null, done: null })
    t.same(arrive(session, page).history, session.history)
    t.same(
      arrive(session, { ...page, version: 5, by: 'mine' }).history,
      session.history,
      'the draft was saved when the page was left',
    )
    t.same(
      arrive({ ...session, going: { act: 'go:split', label: 'Audience' } }, { ...page, version: 5 })
        .history,
      session.history,
    )
    for (const foreign of [
      { ...page, version: 5 },
      { ...page, version: 5, by: 'theirs' },
      { ...page, isConflict: true },
    ])
      t.same(arrive(session, foreign), {
        history: noHistory,
        isElsewhere: true,
        edit: null,
        done: null,
      })
    t.equal(
      arrive({ ...session, history: noHistory }, { ...page, version: 5 }).isElsewhere,
      false,
      'an empty history is lost without a message',
    )
  },
)

t.test('the edit of a button is the difference between the pages before and after it', async t => {
  const sent: Session = {
    ...session,
    at: '?step=pages',
    fields: { controlUrl: ['/a'], redirectUrl: ['/b'] },
    going: { act: 'pages.swap:', label: 'Swap the two' },
  }
  const swapped: Arrived = {
    ...page,
    at: '?step=pages',
    version: 5,
    fields: { controlUrl: ['/b'], redirectUrl: ['/a'] },
  }
  const [, swap] = arrive(sent, swapped).history.past
  t.match(swap, {
    label: 'Swap the two',
    at: '?step=pages',
    fields: { controlUrl: { before: ['/a'], after: ['/b'] } },
  })
  t.equal(
    arrive({ ...sent, going: { act: 'save', label: 'Save' } }, swapped).history.past.length,
    1,
    'a save is no edit: its edits were recorded when they were typed',
  )
  t.equal(arrive(sent, { ...swapped, isRefused: true }).history.past.length, 1)
  t.equal(arrive(sent, { ...swapped, at: '?step=split' }).history.past.length, 1)
  const chosen = {
    ...sent,
    at: '?step=theme',
    kept: '{"themeId":"1"}',
    going: { act: 'theme.choose:2', label: 'Test this theme: Dawn' },
  }
  t.match(
    arrive(chosen, { ...swapped, at: '?step=theme', kept: '{"themeId":"2"}' }).history.past[1],
    {
      label: 'Test this theme: Dawn',
      fields: {},
      kept: { before: '{"themeId":"1"}', after: '{"themeId":"2"}' },
    },
  )
})

t.test(
  'an edit of another step is undone on that step; an undo by the server is done once its page is not a refusal',
  async t => {
    const going = { edit: 'undo' as const }
    t.match(arrive({ ...session, going }, { ...page, version: 5 }), { edit: 'undo', done: null })
    const kept = record(noHistory, {
      label: 'Theme',
      at: '?step=theme',
      fields: {},
      kept: { before: '1', after: '2' },
    })
    t.match(arrive({ ...session, history: kept, going }, page), { edit: null, done: 'undo' })
    t.match(arrive({ ...session, history: kept, going }, { ...page, isRefused: true }), {
      edit: null,
      done: null,
      history: kept,
    })
  },
)

t.test('the address of another step keeps host, shop and code', t => {
  const action = 'http://own.test/tests/draft/edit/1?step=review&host=aG9z&shop=a.test&code=SAVE20'
  t.equal(
    addressAt('?step=products&page=2', action),
    'http://own.test/tests/draft/edit/1?host=aG9z&shop=a.test&code=SAVE20&step=products&page=2',
  )
  t.equal(addressAt('?step=goal', 'http://own.test/x?step=goal'), 'http://own.test/x?step=goal')
  t.end()
})

t.test('Ctrl+Z, Cmd+Z and their variants undo and redo', async t => {
  const pressed = (key: string, ...held: ('ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey')[]) =>
    undoKeys({
      key,
      ctrlKey: false,
      metaKey: false,
      shiftKey: false,
      altKey: false,
      ...Object.fromEntries(held.map(name => [name, true])),
    })
  t.same(
    [
      pressed('z', 'ctrlKey'),
      pressed('z', 'metaKey'),
      pressed('Z', 'ctrlKey'),
      pressed('Z', 'metaKey', 'shiftKey'),
      pressed('y', 'ctrlKey'),
    ],
    ['undo', 'undo', 'undo', 'redo', 'redo'],
  )
  t.same(
    [
      pressed('z'),
      pressed('z', 'altKey', 'ctrlKey'),
      pressed('y', 'metaKey'),
      pressed('x', 'ctrlKey'),
    ],
    [null, null, null, null],
  )
})
