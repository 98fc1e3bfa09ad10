import t from 'tap'
import { HttpProblem } from '../../../domain/problem.ts'
import { like } from '../support/like.ts'
import { addPriceRules } from '../../../engine/prices/price-charging.ts'
import type { PriceRuleSet } from '../../../domain/prices/price-test.ts'

const rule = { id: 'a-test', prices: {} } as unknown as PriceRuleSet
const shopAnswering = (status: number) => ({
  setPriceRules: async () => {
    throw new HttpProblem(status, 'No.')
  },
})

t.test(
  'an answer about a rule refuses that rule; an answer about us, or an outage, holds no test',
  async t => {
    for (const status of [400, 413, 422])
      t.same(
        (await addPriceRules(shopAnswering(status), 'shop', [rule], [])).refused,
        [{ id: 'a-test', message: 'No.' }],
        String(status),
      )
    for (const status of [401, 403, 404, 429, 500, 502, 503])
      await t.rejects(
        addPriceRules(shopAnswering(status), 'shop', [rule], []),
        like({ status }),
        String(status),
      )
  },
)
