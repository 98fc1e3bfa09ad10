import { day } from '../../domain/time-units.ts'
import { products } from '../catalogue/collections.ts'
import { chanceOf } from './chance.ts'
import { meetPerson } from './people.ts'
import type { Sender } from './sender.ts'

const subscribers = 16

/**
 * Places the orders of people who subscribed in the month before `from`, when the app was not
 * installed: their renewals are due in the month after `from`.
 */
export async function subscribeEarlier(sender: Sender, from: Date): Promise<void> {
  const chance = chanceOf('earlier subscribers'),
    aside = chanceOf('earlier subscribers aside')
  const choices = products.flatMap(({ variants, sellingPlans }) =>
    sellingPlans.flatMap(plan => variants.map(({ id }) => ({ id, selling_plan: plan.id }))),
  )
  for (let n = 0; n < subscribers; n++) {
    const at = Math.floor(from.getTime() - chance.between(0.5, 29) * day)
    await sender.buy(
      [{ ...chance.pick(choices), quantity: chance.happens(0.3) ? 2 : 1 }],
      null,
      meetPerson(chance, aside),
      at,
    )
  }
}
