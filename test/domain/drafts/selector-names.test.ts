import t from 'tap'
import {
  isLastingClass,
  isLastingHook,
  isLastingId,
  isLastingValue,
} from '../../../domain/drafts/selector-names.ts'
import {
  elementLimit,
  foundWords,
  notASelector,
  wholePage,
} from '../../../domain/drafts/selector.ts'

const sorted = (names: string[], isLasting: (name: string) => boolean) =>
  names.filter(name => !isLasting(name))

t.test('names that a person chose are lasting', async t => {
  t.same(sorted(['add-to-cart', 'MainContent', 'cart_drawer', 'größe', 'step-2'], isLastingId), [])
  t.same(
    sorted(
      [
        'product-form__submit',
        'price',
        'card--wide',
        'hero',
        'productCard',
        'button-primary',
        'js-buy',
        'casino-banner',
        'basis-has-more',
      ],
      isLastingClass,
    ),
    [],
  )
  t.same(sorted(['data-add-to-cart', 'data-testid', 'data-product-form'], isLastingHook), [])
  t.same(sorted(['buy-now', 'CartDrawer'], isLastingValue), [])
})

t.test('generated names, names of a look and names of a state are not lasting', async t => {
  const ids = [
    '',
    'a',
    ':r1:',
    'radix-3',
    'ember42',
    'react-select-2-input',
    'yui_3_17',
    'template--16098__main',
    'a3f1c2d4-77aa-4b0c-b6f2-3d5a8e90c417',
    'a b',
    'a.b',
    '1st',
    'x'.repeat(60),
    'swiper-wrapper-8f3b1c0d9e',
  ]
  t.same(ids.filter(isLastingId), [])
  const classes = [
    'css-1q2w3e4',
    'sc-bdVaJa',
    'Button_root__3xK2a',
    'svelte-1abc23',
    'jsx-2871293847',
    'e1f8z2',
    'mt-4',
    '-mt-4',
    'md:flex',
    'w-1/2',
    'flex',
    'text-lg',
    'p',
    'is-active',
    'menu-item--open',
    'lazyloaded',
    'no-js',
    'has-media',
    'selected',
    'first',
    'container',
  ]
  t.same(classes.filter(isLastingClass), [])
  t.same(
    [
      'data-v-7ba5bd90',
      'data-index',
      'data-id',
      'data-reactid',
      'data-src',
      'data-state',
      'href',
      'data-twinshelf-x',
    ].filter(isLastingHook),
    [],
  )
  t.same(['', '12', '88123', 'active', 'a"b', 'x'.repeat(60)].filter(isLastingValue), [])
})

t.test('the words about the number of elements that a selector finds', async t => {
  t.match(foundWords({ count: 1, whole: false }), {
    tone: 'good',
    text: 'Finds 1 element on this page.',
  })
  t.match(foundWords({ count: elementLimit, whole: false }), {
    tone: 'good',
    text: 'Finds 200 elements on this page.',
  })
  t.match(foundWords({ count: elementLimit + 1, whole: false }), {
    tone: 'bad',
    text: /201 elements/,
  })
  t.match(foundWords({ count: 0, whole: false }), { tone: 'warn', text: /nothing/ })
  t.same(foundWords({ count: 1, whole: true }), { tone: 'bad', text: wholePage })
  t.same(foundWords({ count: -1, whole: false }), { tone: 'bad', text: notASelector })
})
