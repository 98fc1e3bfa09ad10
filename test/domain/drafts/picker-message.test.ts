import t from 'tap'
import { type ElementStyles, styleNames } from '../../../domain/drafts/element-style.ts'
import {
  readEditorMessage,
  readPageMessage,
  sealed,
  type EditorMessage,
  type PageMessage,
  type Picked,
} from '../../../domain/drafts/picker-message.ts'

const picked: Picked = {
  selector: '.a',
  count: 1,
  alike: '',
  alikeCount: 0,
  label: 'Link',
  tag: 'a',
  text: 'x',
  html: 'x',
  image: '',
  attributes: [{ name: 'href', value: '/' }],
  link: { selector: '', address: '', alt: '' },
  picture: { selector: '.a img', address: '/a.png', alt: 'A' },
  isPlain: true,
  styles: Object.fromEntries(styleNames.map(name => [name, '1px'])) as ElementStyles,
  ground: '#ffffff',
  fonts: ['Lora'],
}
const change = { selector: 'h1', kind: 'text' as const, value: 'x', name: '' }
const place = { path: '/products/mug', x: 0, y: 412 }
const fromEditor: EditorMessage[] = [
  { type: 'begin', changes: null, at: null },
  { type: 'begin', changes: [change, { ...change, pages: ['/products/*'] }], at: place },
  { type: 'scroll', to: place },
  { type: 'apply' },
  { type: 'picking', on: true },
  { type: 'step', to: 'parent' },
  { type: 'count', selectors: ['a'] },
  { type: 'mark', selector: '', seek: false },
  { type: 'shift', selector: 'a', to: 'up' },
]
const fromPage: PageMessage[] = [
  { type: 'ready', page: 'p' },
  { type: 'outlined', label: 'x' },
  { type: 'picked', picked },
  { type: 'counted', found: [{ selector: 'a', count: -1, whole: false }] },
  { type: 'ended' },
  { type: 'scrolled', at: place },
  { type: 'described', selector: 'a', picked },
  { type: 'moved', selector: '', picked, to: { name: 'after', target: '.b', isHome: false } },
  { type: 'pressed', keys: 'undo' },
]

t.test('each side’s messages are read unchanged, and only by the other side', async t => {
  for (const message of fromEditor) {
    t.same(readEditorMessage(structuredClone(sealed(message, 'n'))), sealed(message, 'n'))
    t.equal(readPageMessage(sealed(message, 'n')), null)
  }
  for (const message of fromPage) {
    t.same(readPageMessage(structuredClone(sealed(message, 'n'))), sealed(message, 'n'))
    t.equal(readEditorMessage(sealed(message, 'n')), null)
  }
})

t.test('anything that is not exactly a message is ignored', async t => {
  const seal = { twinshelf: 'picker', nonce: 'n' }
  const wrong: unknown[] = [
    null,
    undefined,
    1,
    'picker',
    [],
    {},
    { ...seal },
    { ...seal, type: 'toString' },
    { ...seal, type: '__proto__' },
    { type: 'ready', page: 'p', nonce: 'n' },
    { ...seal, twinshelf: 'other', type: 'ready', page: 'p' },
    { twinshelf: 'picker', type: 'ready', page: 'p' },
    { ...seal, nonce: 1, type: 'ready', page: 'p' },
    { ...seal, type: 'ready' },
    { ...seal, type: 'ready', page: 'x'.repeat(65) },
    { ...seal, nonce: 'x'.repeat(65), type: 'ready', page: 'p' },
    { ...seal, type: 'ready', page: 'p', more: 1 },
    { ...seal, type: 'outlined' },
    { ...seal, type: 'outlined', label: 1 },
    { ...seal, type: 'outlined', label: 'x'.repeat(201) },
    { ...seal, type: 'picked', picked: {} },
    { ...seal, type: 'picked', picked: { ...picked, more: 1 } },
    { ...seal, type: 'picked', picked: { ...picked, count: 1.5 } },
    { ...seal, type: 'picked', picked: { ...picked, attributes: [{ name: 'a' }] } },
    { ...seal, type: 'picked', picked: { ...picked, text: 'x'.repeat(20_001) } },
    { ...seal, type: 'counted', found: {} },
    { ...seal, type: 'counted', found: [null] },
    { ...seal, type: 'begin' },
    { ...seal, type: 'begin', changes: null },
    { ...seal, type: 'begin', changes: null, at: { ...place, y: '4' } },
    { ...seal, type: 'scroll', to: { ...place, x: Infinity } },
    { ...seal, type: 'scrolled', at: null },
    { ...seal, type: 'begin', changes: [{ ...change, kind: 'eval' }], at: null },
    { ...seal, type: 'begin', changes: Array.from({ length: 51 }, () => change), at: null },
    { ...seal, type: 'step', to: 'up' },
    { ...seal, type: 'picking', on: 'yes' },
    { ...seal, type: 'count', selectors: [1] },
    { ...seal, type: 'picked', picked: { ...picked, styles: { ...picked.styles, width: '1px' } } },
    { ...seal, type: 'picked', picked: { ...picked, styles: { color: 'red' } } },
    { ...seal, type: 'picked', picked: { ...picked, fonts: ['x'.repeat(101)] } },
    { ...seal, type: 'shift', selector: 'a', to: 'left' },
    {
      ...seal,
      type: 'moved',
      selector: '',
      picked,
      to: { name: 'inside', target: '.b', isHome: false },
    },
    { ...seal, type: 'pressed', keys: 'paste' },
    { ...seal, type: 'described', picked },
  ]
  for (const data of wrong)
    t.same(
      [readEditorMessage(data), readPageMessage(data)],
      [null, null],
      JSON.stringify(data)?.slice(0, 80) ?? 'undefined',
    )
})
