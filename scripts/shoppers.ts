import { parseArgs } from 'node:util'
import { demoShopConfig } from '../demo-shop/config.ts'
import { formatMoney } from '../domain/money.ts'
import { day } from '../domain/time-units.ts'
import type { ArmDeeds, Deeds } from '../demo-shop/shoppers/deeds.ts'
import { runShoppers } from '../demo-shop/shoppers/run.ts'
import { runningSince } from '../demo-shop/shoppers/running-since.ts'
import { shop } from '../demo-shop/shop.ts'

const usage = `npm run shoppers -- --visitors 2000 --lift 0.15 [--days 14] [--test <id>] [--seed <text>]

  --visitors  how many shoppers come
  --lift      true relative change of the variant's chance to buy, 0.15 for 15%; adding and clicking follow
  --days      spreads them over this many past days; without it they all come now
  --test      the one test this is about: the lift holds for it alone, and most visits begin on its pages
  --seed      makes the same shoppers again
The product must be running (npm start). Shoppers run the storefront script's own rules, and buy in the real checkout.`

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      visitors: { type: 'string' },
      lift: { type: 'string' },
      days: { type: 'string' },
      test: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return console.log(usage)
  const visitors = number('visitors', values.visitors ?? '2000', 1, 1_000_000)
  const lift = number('lift', values.lift ?? '0.15', -0.99, 5)
  const days = values.days === undefined ? null : number('days', values.days, 0.01, 90)
  const seed = values.seed ?? Date.now().toString(36)
  const config = demoShopConfig(process.env)
  const now = Date.now()
  const began = performance.now()

  console.log(
    `${visitors} shoppers, lift ${lift}, seed ${seed}, ${days === null ? 'now' : `over the past ${days} days`}`,
  )
  const deeds = await runShoppers(
    {
      shopOrigin: config.DEMO_SHOP_ORIGIN,
      appSecret: config.DEMO_APP_SECRET,
      visitors,
      lift,
      seed,
      ...(values.test && { test: values.test }),
      ...(days !== null && {
        span: { from: new Date(now - days * day), to: new Date(now) },
        runningSince: tests =>
          runningSince(
            {
              appOrigin: config.APP_ORIGIN,
              engineOrigin: config.ENGINE_ORIGIN,
              appKey: config.DEMO_APP_KEY,
              appSecret: config.DEMO_APP_SECRET,
            },
            tests,
          ),
      }),
    },
    progress(visitors),
  )
  print(deeds, (performance.now() - began) / 1000)
}

/** Shows progress: every tenth of the total, or every percent in place on a terminal. */
function progress(total: number): (progress: { done: number }) => void {
  let shown = 0
  return ({ done }) => {
    const tenth = Math.floor((done / total) * (process.stdout.isTTY ? 100 : 10))
    if (tenth === shown) return
    shown = tenth
    process.stdout.write(
      process.stdout.isTTY
        ? `\r${done} of ${total}${done === total ? '\n' : ''}`
        : `${done} of ${total}\n`,
    )
  }
}

function print(
  { visitors, bots, refusing, sessions, events, orders, revenue, tests, retries }: Deeds,
  seconds: number,
): void {
  const money = (minor: number) => formatMoney(minor, shop.currency)
  console.log(
    `\nIn ${seconds.toFixed(1)} s: ${visitors} shoppers (${bots} bots, ${refusing} who refused to be counted), ${sessions} sessions, ${events} events acknowledged, ${orders} orders, ${money(revenue)}${retries ? `; sent again ${retries} times` : ''}`,
  )
  for (const { id, arms } of tests) {
    console.log(`\nTest ${id}`)
    const rows = arms.map((arm, i) => [['control', 'variant'][i]!, ...figures(arm)])
    for (const row of [
      ['', 'visitors', 'clicked', 'added', 'bought', 'orders', 'revenue'],
      ...rows,
    ])
      console.log(row.map((cell, i) => (i ? cell.padStart(12) : cell.padEnd(9))).join(''))
  }
  if (tests.length === 0) console.log('No test was running.')

  function figures({ exposed, clickers, adders, buyers, orders, revenue }: ArmDeeds): string[] {
    return [...[exposed, clickers, adders, buyers, orders].map(String), money(revenue)]
  }
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (!Number.isFinite(value) || value < least || value > most)
    throw new Error(`--${name} must be a number from ${least} to ${most}.\n\n${usage}`)
  return value
}
