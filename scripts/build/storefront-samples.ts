import type { ScriptConfig, ScriptTest } from '../../domain/script/script-config.ts'

/** All combinations of three items. */
export const threes = <T>(all: readonly T[]): T[][] =>
  all.flatMap((a, i) =>
    all.slice(i + 1).flatMap((b, j) => all.slice(i + j + 2).map(c => [a, b, c])),
  )

/** The shop and the addresses in a sample script. */
export const addresses = {
  shop: 'fern-and-kiln.demo-shop.test',
  collect: 'https://app.twinshelf.example/collect?q7Rf',
  preview: 'https://app.twinshelf.example/s/preview.js?shop=fern-and-kiln.demo-shop.test&token=',
}

/** Three typical tests of merchants: the budget is checked with these. */
export const threeTests: ScriptConfig = {
  ...addresses,
  tests: [
    {
      id: '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21',
      weights: [0.5, 0.5],
      pages: ['/products/*'],
      changes: [
        {
          selector: '.product-form__submit',
          kind: 'text',
          name: '',
          value: 'Add to basket – ships tomorrow',
        },
        {
          selector: '.product-form__submit',
          kind: 'style',
          name: 'background-color',
          value: '#7a4a2b',
        },
        {
          selector: '.product__info .price',
          kind: 'insertAfter',
          name: '',
          value:
            '<p class="product-form__note">Free returns within 30 days. Made by hand in small batches.</p>',
        },
      ],
    },
    {
      id: 'c7f3a9d4-21b8-4f7e-9d60-0b7c1de2f8aa',
      weights: [0.5, 0.5],
      pages: ['/pages/gift-guide'],
      to: '/pages/gift-guide-2026',
    },
    {
      id: 'e19d4c30-77aa-4b0c-b6f2-3d5a8e90c417',
      weights: [0.8, 0.2],
      pages: ['/', '/collections/*'],
      changes: [
        { selector: '.hero h1', kind: 'text', name: '', value: 'Pottery for every day' },
        { selector: '.hero img', kind: 'image', name: '', value: '/cdn/products/ash-mug-2.svg' },
        { selector: '.announcement', kind: 'hide', name: '', value: '' },
      ],
    },
  ],
}

const half = [0.5, 0.5] as [number, number]

/**
 * One test of each kind, and one for an audience. The build prints the largest script with any
 * three of them.
 */
export const sampleTests: { name: string; test: ScriptTest }[] = [
  { name: 'page element', test: threeTests.tests[0]! },
  { name: 'URL redirect', test: threeTests.tests[1]! },
  {
    name: 'template',
    test: {
      id: 'f1c3a9d4-21b8-4f7e-9d60-0b7c1de2f8ab',
      weights: half,
      pages: [],
      view: ['product', 'product.twinshelf-story'],
    },
  },
  {
    name: 'page content',
    test: {
      id: '0ac3a9d4-21b8-4f7e-9d60-0b7c1de2f8ac',
      weights: half,
      pages: [],
      view: ['page', 'page.twinshelf-about'],
      only: ['5101'],
    },
  },
  {
    name: 'theme',
    test: {
      id: '7be19d4c-77aa-4b0c-b6f2-3d5a8e90c418',
      weights: half,
      pages: ['*'],
      theme: ['kiln', 'harbour'],
    },
  },
  {
    name: 'API',
    test: {
      id: '2d0f1c30-77aa-4b0c-b6f2-3d5a8e90c419',
      weights: half,
      pages: ['*'],
      api: ['a19d4c30-77aa-4b0c-b6f2-3d5a8e90c41a', 'b29d4c30-77aa-4b0c-b6f2-3d5a8e90c41b'],
      isManual: true,
    },
  },
  {
    name: 'price',
    test: {
      id: '9cf19d4c-77aa-4b0c-b6f2-3d5a8e90c41c',
      weights: half,
      pages: ['*'],
      prices: {
        'ash-mug': [
          ['30100', 3400, 2900],
          ['30101', 3400, 2900],
        ],
        'speckled-bowl': [
          ['30200', 4200, 3900],
          ['30201', 4800, 4500],
          ['30202', 5600, 5200],
        ],
      },
    },
  },
  {
    name: 'page element for an audience',
    test: {
      ...threeTests.tests[2]!,
      id: '4ce19d4c-77aa-4b0c-b6f2-3d5a8e90c41d',
      layer: 0,
      rivals: ['7be19d4c-77aa-4b0c-b6f2-3d5a8e90c418'],
      audiences: [
        2,
        { 1: { operator: 'Equals', value: 'newsletter' }, 7: { operator: 'Equals', value: 'US' } },
      ],
    },
  },
]
