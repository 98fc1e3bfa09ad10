import t from 'tap'
import { keepingCapabilities } from '../../../engine/platform/store-capabilities.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

const { platform, shop, close } = await startWithShop()
t.teardown(close)

t.test('a late answer does not replace a newer one', async t => {
  /** Lets the answers through, in the order of the questions. */
  const answers: (() => void)[] = []
  const own = keepingCapabilities({
    ...platform,
    capabilities: async name => {
      const now = await platform.capabilities(name)
      await new Promise<void>(resolve => answers.push(resolve))
      return now
    },
  })
  const asked = async (count: number) => {
    while (answers.length < count) await new Promise(resolve => setTimeout(resolve, 5))
  }
  shop.capabilities.set({ redirects: 'always' })
  const late = own.capabilities(firstShop, { isFresh: true })
  await asked(1)
  shop.capabilities.set({ redirects: 'none' })
  const fresh = own.capabilities(firstShop, { isFresh: true })
  await asked(2)
  answers[1]!()
  t.match(await fresh, { redirects: 'none' })
  answers[0]!()
  t.match(await late, { redirects: 'always' })
  t.match(await own.capabilities(firstShop), { redirects: 'none' }, 'pages see the newer one')
})
