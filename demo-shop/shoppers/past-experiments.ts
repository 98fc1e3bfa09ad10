import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import type { Channel } from '../../domain/events/channel.ts'
import type { ImportOptions } from '../../domain/imports/import.ts'
import { day, hour, minute } from '../../domain/time-units.ts'
import { products } from '../catalogue/collections.ts'
import { type Chance, chanceOf } from './chance.ts'
import { popularProduct } from './journey.ts'

/**
 * An experiment from before the app was installed, as another tool exported it. Staff import it.
 */
export type PastExperiment = {
  options: ImportOptions
  about: { hypothesisDescription: string; controlTitle: string; variantTitle: string }
  startedDaysAgo: number
  endedDaysAgo: number
  visitors: number
  /** Share of each arm's visitors who add to the cart. About two in five of them buy. */
  adds: PerArm<number>
}

export const pastExperiments: PastExperiment[] = [
  {
    options: {
      title: 'Harbour theme',
      goal: 'AddToCartRate',
      kind: 'Theme',
      weights: [0.5, 0.5],
      minimumEffect: 0.1,
      skipBad: false,
    },
    about: {
      hypothesisDescription:
        'A wider theme with larger pictures should bring more shoppers to add something to the cart.',
      controlTitle: 'Kiln',
      variantTitle: 'Harbour',
    },
    startedDaysAgo: 74,
    endedDaysAgo: 53,
    visitors: 1_700,
    adds: [0.2, 0.148],
  },
  {
    options: {
      title: 'Free shipping bar',
      goal: 'AddToCartRate',
      kind: 'PageElement',
      weights: [0.5, 0.5],
      minimumEffect: 0.2,
      skipBad: false,
    },
    about: {
      hypothesisDescription:
        'Shoppers who see from the first page that shipping is free from $75 should add more.',
      controlTitle: 'No bar',
      variantTitle: 'Bar at the top',
    },
    startedDaysAgo: 51,
    endedDaysAgo: 37,
    visitors: 1_300,
    adds: [0.18, 0.181],
  },
]

const buys = 0.4
const channels: [number, Channel][] = [
  [30, 'organicSearch'],
  [26, 'direct'],
  [14, 'organicSocial'],
  [12, 'paidSearch'],
  [10, 'email'],
  [8, 'referral'],
]
const devices: [number, string][] = [
  [60, 'phone'],
  [35, 'desktop'],
  [5, 'tablet'],
]
const countries: [number, string][] = [
  [80, 'US'],
  [10, 'CA'],
  [6, 'GB'],
  [4, 'DE'],
]
export const header = 'visitor,arm,time,event,value,order,product,quantity,device,channel,country'

/**
 * The exported file: a row for each thing that a visitor did. Those who add and buy are spread
 * evenly, so that few visitors show the arms' true shares.
 */
export function experimentFile(
  { options, startedDaysAgo, endedDaysAgo, visitors, adds }: PastExperiment,
  now: Date,
): string {
  const chance = chanceOf(options.title)
  const from = now.getTime() - startedDaysAgo * day,
    length = (startedDaysAgo - endedDaysAgo) * day - 2 * hour
  const lines = Array.from({ length: visitors }, (_, n) => {
    const arm: ArmIndex = n % 2 === 0 ? 0 : 1
    return visitorRows(n, arm, from + Math.floor(chance.next() * length), {
      chance,
      resolve: ((Math.floor(n / 2) + 1) * 0.6180339887498949) % 1,
      adds: adds[arm],
    })
  }).flat()
  return [header, ...lines].join('\n')
}

type Drawn = { chance: Chance; resolve: number; adds: number }
function visitorRows(
  n: number,
  arm: ArmIndex,
  at: number,
  { chance, resolve, adds }: Drawn,
): string[] {
  const about = `${chance.weighted(devices)},${chance.weighted(channels)},${chance.weighted(countries)}`
  const row = (minutes: number, event: string, sale = ',,,') =>
    `past-${n},${arm === 0 ? 'control' : 'variant'},${new Date(at + minutes * minute).toISOString()},${event},${sale},${about}`
  const rows = [row(0, 'exposure')]
  if (resolve >= adds && !chance.happens(0.45)) return rows
  rows.push(row(1, 'click'))
  if (resolve >= adds) return rows
  const product = popularProduct(chance),
    quantity = chance.happens(0.2) ? 2 : 1
  rows.push(row(4, 'cart', `,,${product.id},1`))
  if (resolve >= adds * buys) return rows
  const amount = (
    (products.find(({ id }) => id === product.id)!.variants[0]!.price * quantity) /
    100
  ).toFixed(2)
  rows.push(
    row(9, 'checkout'),
    row(14, 'purchase', `${amount},past-${n}-${arm},${product.id},${quantity}`),
  )
  return rows
}
