import { readFileSync } from 'node:fs'
import t from 'tap'
import { typedText } from '../../../domain/drafts/content-form.ts'
import {
  contentOffers,
  contentPictures,
  shopPicture,
} from '../../../domain/drafts/content-offers.ts'
import {
  kindOfValue,
  labelOf,
  sectionSchema,
  settingLabel,
} from '../../../domain/drafts/section-schema.ts'
import { moved } from '../../../domain/themes/template-content.ts'

t.test('settings without a schema get a kind and a label', t => {
  t.same(
    [
      ['alt', 'A shelf'],
      ['text', 'Short'],
      ['any', 'x'.repeat(80)],
      ['any', '<b>x</b>'],
      ['any', '/cdn/a.svg?v=1'],
      ['picture', ''],
      ['on', true],
      ['n', 3],
      ['x', null],
    ].map(([id, value]) => kindOfValue(String(id), value as string)),
    ['text', 'longText', 'longText', 'longText', 'picture', 'picture', 'yesNo', 'number', 'text'],
  )
  t.same(
    [
      ['url', '/pages/about'],
      ['button_link', ''],
      ['collection', 'tableware'],
      ['product', ''],
      ['tint', '#A1b2c3'],
      ['page', 'two words'],
    ].map(([id, value]) => kindOfValue(id!, value!)),
    ['link', 'link', 'collection', 'product', 'colour', 'text'],
  )
  t.same(
    ['url', 'alt', 'image_alt', 'button_url', 'bgColor', 'show_reviews', '_'].map(settingLabel),
    [
      'Link',
      'Picture description',
      'Picture description',
      'Button link',
      'Background colour',
      'Show reviews',
      '_',
    ],
  )
  const colour = { kind: 'colour', value: '#A1B2C3' } as const
  t.same(
    [
      typedText({ tint: '#a1b2c3' }, 'tint', colour),
      typedText({ tint: '#000000' }, 'tint', colour),
    ],
    ['#A1B2C3', '#000000'],
    'the same colour in lower case is no change',
  )
  t.same(
    [labelOf('show_reviews'), labelOf('main-page'), labelOf('_')],
    ['Show reviews', 'Main page', '_'],
  )
  t.same(
    [
      sectionSchema('<p></p>'),
      sectionSchema('{% schema %}{{% endschema %}'),
      sectionSchema('{% schema %}null{% endschema %}')?.settings,
    ],
    [null, null, []],
  )
  const hero = sectionSchema(readFileSync('demo-shop/themes/harbour/sections/hero.liquid', 'utf8'))!
  t.match(hero, {
    name: 'Banner',
    settings: [{ id: 'title', label: 'Title', kind: null, byDefault: '' }],
  })
  t.same(
    [
      moved(['a', 'b', 'c'], 'b', -1),
      moved(['a', 'b'], 'a', -1),
      moved(['a', 'b'], 'b', 1),
      moved(['a'], 'z', 1),
    ],
    [['b', 'a', 'c'], ['a', 'b'], ['a', 'b'], ['a']],
  )
  t.end()
})

t.test('a field offers the shop’s pages of its kind', t => {
  const pages = [
    { url: '/', title: 'Home' },
    { url: '/products/mug', title: 'Mug' },
    { url: '/collections/all', title: 'All' },
    { url: '/collections/all/red', title: 'Red' },
    { url: '/pages/about', title: 'About' },
  ]
  t.equal(contentOffers('link', pages).length, 5)
  t.same(
    ['product', 'collection', 'page', 'text'].map(kind =>
      contentOffers(kind as 'page', pages).map(each => each.value),
    ),
    [['mug'], ['all'], ['about'], []],
  )
  const shop = 'https://shop.example'
  t.same(
    [
      '/cdn/a.svg',
      `${shop}/a.png`,
      '//other.example/a.png',
      'https://other.example/a.png',
      'shopify://a',
      'javascript:1',
      '',
      null,
    ].map(value => shopPicture(value, shop)),
    [`${shop}/cdn/a.svg`, `${shop}/a.png`, null, null, null, null, null, null],
  )
  const part = { id: 'a', type: 'a', name: 'A', isShown: true, isShownInControl: true },
    setting = { id: 'p', label: 'P', isChanged: true, choices: [] }
  const sections = [
    {
      ...part,
      areBlocksMoved: false,
      settings: [{ ...setting, kind: 'picture' as const, value: '/b.png', control: '/a.png' }],
      blocks: [
        {
          ...part,
          settings: [
            { ...setting, kind: 'picture' as const, value: '/a.png', control: 'shopify://a' },
            { ...setting, kind: 'text' as const, value: '/c.png', control: null },
          ],
        },
      ],
    },
  ]
  t.same(contentPictures({ sections }, shop), ['/a.png', '/b.png'])
  t.end()
})
