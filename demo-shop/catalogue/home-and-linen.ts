import type { Option, ProductSource } from './product.ts'

const colour: Option = { name: 'Colour', values: ['Oat', 'Clay', 'Indigo'] }
const washes = 'Washes at 40 °C, softer every time'

export const linen: ProductSource[] = [
  {
    handle: 'linen-apron',
    title: 'Linen apron',
    price: 5800,
    options: [colour],
    shape: 'apron',
    tones: ['oat', 'clay', 'indigo'],
    rating: 4.8,
    reviews: 128,
    description:
      'Heavy linen with crossed straps that sit on the shoulders, not the neck. The pocket takes a towel and a phone.',
    details: ['Linen from Flanders, 290 g', washes],
  },
  {
    handle: 'tea-towel-pair',
    title: 'Tea towels, pair',
    price: 2800,
    options: [colour],
    shape: 'towel',
    tones: ['oat', 'indigo', 'clay'],
    rating: 4.7,
    reviews: 90,
    description:
      'Half linen, half cotton: they dry glasses without a trace and themselves by the evening.',
    details: ['50 × 70 cm each', washes],
  },
  {
    handle: 'linen-napkins',
    title: 'Napkins, set of four',
    price: 4800,
    options: [colour],
    shape: 'napkins',
    tones: ['oat', 'clay', 'indigo'],
    rating: 4.6,
    reviews: 47,
    description: 'Large enough for a lap, with mitred corners that stay flat after the wash.',
    details: ['45 × 45 cm each', washes],
  },
  {
    handle: 'table-runner',
    title: 'Table runner',
    price: 6400,
    options: [{ name: 'Length', values: ['150 cm', '220 cm'] }],
    extra: { '220 cm': 1400 },
    shape: 'runner',
    tones: ['oat'],
    rating: 4.5,
    reviews: 23,
    description:
      'A quiet strip of linen with a fringed end. It makes a table look laid before anything is on it.',
    details: ['40 cm wide', washes],
  },
]

export const home: ProductSource[] = [
  {
    handle: 'bud-vase',
    title: 'Bud vase',
    price: 4400,
    options: [{ name: 'Glaze', values: ['Salt', 'Ash', 'Iron'] }],
    shape: 'budVase',
    tones: ['salt', 'ash', 'iron'],
    rating: 4.9,
    reviews: 104,
    description: 'For one branch from the hedge. The narrow neck holds it the way you put it.',
    details: ['16 cm high', 'Stoneware, watertight'],
  },
  {
    handle: 'moon-vase',
    title: 'Moon vase',
    price: 8800,
    options: [{ name: 'Size', values: ['Medium', 'Large'] }],
    extra: { Large: 3600 },
    shape: 'moonVase',
    tones: ['salt'],
    rating: 4.8,
    reviews: 36,
    description:
      'Two bowls joined at the rim, as the old moon jars were, and never perfectly round.',
    details: ['Medium 18 cm, large 26 cm', 'Stoneware, watertight'],
  },
  {
    handle: 'herb-planter',
    title: 'Herb planter',
    price: 3000,
    options: [{ name: 'Size', values: ['Small', 'Medium', 'Large'] }],
    extra: { Medium: 1200, Large: 2600 },
    shape: 'planter',
    tones: ['terracotta'],
    rating: 4.6,
    reviews: 62,
    description: 'Breathing terracotta with a saucer, for a window sill with basil on it.',
    details: ['10, 14 or 19 cm across', 'Saucer included'],
  },
  {
    handle: 'kiln-candle',
    title: 'Kiln candle',
    price: 3600,
    options: [{ name: 'Scent', values: ['Fig', 'Cedar', 'Wood smoke'] }],
    shape: 'candle',
    tones: ['clay'],
    rating: 4.7,
    reviews: 85,
    description:
      'Beeswax and rapeseed wax in a cup from our own kiln. When it has burned down, the cup stays.',
    details: ['Burns for 40 hours', 'Cotton wick'],
  },
  {
    handle: 'hearth-kettle',
    title: 'Hearth kettle',
    price: 12800,
    options: [{ name: 'Colour', values: ['Cream', 'Forest', 'Night'] }],
    shape: 'kettle',
    tones: ['cream', 'forest', 'night'],
    rating: 4.8,
    reviews: 57,
    description:
      'Enamelled steel with a beech handle that stays cool, and a whistle you can live with.',
    details: ['1.6 l, any hob, also induction', 'Wipe clean'],
  },
]
