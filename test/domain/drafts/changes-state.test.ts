import t from 'tap'
import {
  type ChangesAct,
  changesState,
  reduceChanges,
} from '../../../islands/drafts/changes-state.ts'

const button = { selector: '.buy', kind: 'text' as const, name: '', value: 'Buy' }
const colour = { selector: '.buy', kind: 'style' as const, name: 'color', value: '#fff' }
const heading = { selector: 'h1', kind: 'hide' as const, name: '', value: '' }
const after = (...acts: ChangesAct[]) =>
  acts.reduce(reduceChanges, changesState([button, heading, colour], null))
const said = ({ rows }: ReturnType<typeof after>) =>
  rows.map(({ selector, kind, name, value }) => [selector, kind, name, value].join(' ').trim())

t.test('changes of one selector on the same pages are one element', async t => {
  const { rows } = changesState(
    [
      button,
      heading,
      colour,
      { ...colour, group: 1 },
      { ...heading, selector: '' },
      { ...heading, selector: '' },
    ],
    2,
  )
  const [a, b, c, d, e, f] = rows.map(row => row.element)
  t.equal(a, c)
  t.equal(new Set([a, b, d, e, f]).size, 5)
  t.equal(
    changesState([button, heading], 1).open,
    changesState([button, heading], 1).rows[1]!.element,
  )
})

t.test('a setting is one row: set again it is replaced, and reset removes only it', async t => {
  const { element } = after().rows[0]!
  const set = (name: string, value: string): ChangesAct => ({
    do: 'set',
    element,
    setting: { kind: 'style', name, value },
  })
  t.same(said(after(set('color', '#000'))), ['.buy text  Buy', 'h1 hide', '.buy style color #000'])
  t.same(
    said(after(set('font-size', '20px'), set('font-size', '21px'))).at(-1),
    '.buy style font-size 21px',
  )
  t.same(said(after({ do: 'reset', element, kind: 'style', name: 'color' })), [
    '.buy text  Buy',
    'h1 hide',
  ])
})

t.test(
  'a picked element has no change at first, and stays open when its last change is reset',
  async t => {
    const picked = after({ do: 'pick', selector: 'img' })
    t.equal(picked.rows.length, 3)
    const element = picked.bare!.element
    t.equal(picked.open, element)
    const hidden = reduceChanges(picked, {
      do: 'set',
      element,
      setting: { kind: 'hide', name: '', value: '' },
    })
    t.same([said(hidden).at(-1), hidden.bare], ['img hide', null])
    const reset = reduceChanges(hidden, { do: 'reset', element, kind: 'hide' })
    t.same([reset.rows.length, reset.bare, reset.open], [3, { element, selector: 'img' }, element])
    const again = after({ do: 'pick', selector: '.buy' })
    t.same([again.open, again.bare], [again.rows[0]!.element, null])
    t.equal(reduceChanges(picked, { do: 'open', element: null }).bare, null)
  },
)

t.test('a new selector for an element applies to all its changes', async t => {
  const { element } = after().rows[0]!
  t.same(said(after({ do: 'aim', element, selector: '.card' })), [
    '.card text  Buy',
    'h1 hide',
    '.card style color #fff',
  ])
})

t.test(
  'a loaded list keeps the rows that did not change, and opens the element that did',
  async t => {
    const before = after({ do: 'open', element: after().rows[1]!.element }),
      { rows } = before
    const removed = reduceChanges(before, { do: 'remove', keys: [rows[0]!.key, rows[2]!.key] })
    t.same(said(removed), ['h1 hide'])
    const back = reduceChanges(removed, { do: 'load', changes: [button, heading, colour] })
    t.same(said(back), said(before))
    t.equal(back.rows[1]!.key, rows[1]!.key)
    t.equal(back.rows[0]!.element, back.rows[2]!.element)
    t.not(back.rows[0]!.element, back.rows[1]!.element)
    t.equal(back.open, back.rows[0]!.element)
    const edited = reduceChanges(before, {
      do: 'load',
      changes: [button, heading, { ...colour, value: '#000' }],
    })
    t.same(
      [edited.rows.map(({ key }) => key), edited.open],
      [rows.map(({ key }) => key), rows[2]!.element],
    )
    const aimed = reduceChanges(before, {
      do: 'load',
      changes: [{ ...button, selector: '.card' }, heading, { ...colour, selector: '.card' }],
    })
    t.same(
      aimed.rows.map(({ element }) => element),
      rows.map(({ element }) => element),
    )
    const emptied = reduceChanges(before, { do: 'load', changes: [button, colour] })
    t.same(
      [emptied.bare, emptied.open],
      [{ element: rows[1]!.element, selector: 'h1' }, rows[1]!.element],
      'the element without changes stays open',
    )
    t.same(
      reduceChanges(emptied, { do: 'load', changes: [button, heading, colour] }).rows[1]!.element,
      rows[1]!.element,
    )
  },
)

t.test('a link or picture around an element is changed while the element stays open', async t => {
  const open = after({ do: 'pick', selector: '.name' }),
    { element } = open.bare!
  const href = { kind: 'attribute' as const, name: 'href', value: '/sale' }
  const set = reduceChanges(open, { do: 'setBeside', element, selector: 'a', setting: href })
  t.same(
    [said(set).at(-1), set.open, set.bare?.element],
    ['a attribute href /sale', element, element],
  )
  t.not(set.rows.at(-1)!.element, element)
  const again = reduceChanges(set, {
    do: 'setBeside',
    element,
    selector: 'a',
    setting: { ...href, value: '/new' },
  })
  t.same(said(again).slice(3), ['a attribute href /new'])
  t.equal(
    new Set(reduceChanges(again, { do: 'pick', selector: 'p' }).rows.map(({ key }) => key)).size,
    4,
  )
  t.same(
    said(
      reduceChanges(again, { do: 'resetBeside', selector: 'a', kind: 'attribute', name: 'href' }),
    ),
    said(after()),
  )
})

t.test(
  'a move or an insertion finds its element by selector, whether it is only picked or has changes',
  async t => {
    const move = { do: 'move', selector: '.buy', name: 'after', target: '.card' } as const
    t.same(
      said(after(move, { ...move, name: 'before', target: 'h1' })).at(-1),
      '.buy move before h1',
      'a second move replaces the first',
    )
    t.same(
      said(
        after(
          { do: 'pick', selector: 'img' },
          { do: 'beside', selector: 'img', value: '<p>Hi</p>' },
        ),
      ).at(-1),
      'img insertAfter  <p>Hi</p>',
    )
    t.equal(after({ ...move, selector: '.unknown' }).rows.length, 3)
    t.same(
      said(after(move, { ...move, target: 'h1', isHome: true })),
      said(after()),
      'an element moved back home has no move',
    )
    t.equal(
      after({ ...move, selector: 'h1', target: '.buy' }, { ...move, target: 'h1', isHome: true })
        .rows.length,
      5,
      'the move stays when its neighbour was moved too',
    )
  },
)
