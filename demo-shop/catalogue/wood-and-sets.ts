import type { ProductSource } from './product.ts'

const oil = 'Wash by hand, oil now and then'

export const wood: ProductSource[] = [
  {
    handle: 'oak-spoon',
    title: 'Oak spoon',
    price: 1800,
    options: [],
    shape: 'spoon',
    tones: ['oak'],
    rating: 4.7,
    reviews: 119,
    description: 'Carved from one piece of oak, with an edge that reaches the corner of the pan.',
    details: ['30 cm', oil],
  },
  {
    handle: 'walnut-board',
    title: 'Walnut board',
    price: 6800,
    options: [{ name: 'Size', values: ['Medium', 'Large'] }],
    extra: { Large: 2400 },
    shape: 'board',
    tones: ['walnut'],
    rating: 4.9,
    reviews: 74,
    description: 'One plank, no glue. A board for the bread and the last hour of a long supper.',
    details: ['Medium 34 × 20 cm, large 45 × 26 cm', oil],
  },
  {
    handle: 'cherry-spatula',
    title: 'Cherry spatula',
    price: 1600,
    options: [],
    shape: 'spatula',
    tones: ['cherry'],
    rating: 4.5,
    reviews: 48,
    description: 'Thin at the front, strong at the neck: turns a pancake in one go.',
    details: ['29 cm', oil],
  },
]

export const sets: ProductSource[] = [
  {
    handle: 'pour-over-set',
    title: 'Pour-over set',
    price: 7200,
    options: [{ name: 'Glaze', values: ['Ash', 'Iron'] }],
    shape: 'pourOver',
    tones: ['ash', 'iron'],
    rating: 4.9,
    reviews: 133,
    suffix: 'story',
    description:
      'Dripper and carafe, made for each other: the ribs inside keep the paper off the wall, so the coffee runs at its own pace.',
    details: ['Carafe 0.6 l', 'Takes paper filters size 2', 'Dishwasher safe'],
  },
  {
    handle: 'breakfast-set',
    title: 'Breakfast set',
    price: 11200,
    options: [{ name: 'Glaze', values: ['Ash', 'Salt', 'Iron'] }],
    shape: 'breakfast',
    tones: ['ash', 'salt', 'iron'],
    rating: 4.8,
    reviews: 61,
    description:
      'A mug, a bowl and a plate from one firing. The gift that gets used the next morning.',
    details: [
      'Mug 350 ml, bowl 0.6 l, plate 18 cm',
      'Comes in a wood-wool box',
      'Dishwasher and microwave safe',
    ],
  },
]
