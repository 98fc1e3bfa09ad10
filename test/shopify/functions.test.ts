import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import {
  buildClientSchema,
  coerceInputValue,
  type IntrospectionQuery,
  parse,
  validate,
} from 'graphql'
import { getQuickJS, type QuickJSContext } from 'quickjs-emscripten'
import {
  type FunctionInput,
  type FunctionLine,
  maxTestedLines,
} from '../../domain/prices/function-charge.ts'
import { functionFields, type PriceSwitch } from '../../domain/prices/function-rules.ts'
import { type PriceRuleSet, shownAmount } from '../../domain/prices/price-test.ts'
import { assign } from '../../domain/tests/assignment.ts'
import { bundleFunction, functions } from '../../scripts/build/build-shopify.ts'

/**
 * Our functions as the platform runs them: the bundle in a JavaScript engine in WebAssembly,
 * without Node, `Intl` or network, with the input that its document asks for.
 */
type Case = {
  name: string
  /** Units of the cart's currency for one of the shop's. */
  rate?: string
  currency?: string
  market?: string
  arm?: 0 | 1
  tests?: string | null
  visitor?: string | null
  /** What the platform would charge for one piece, and what each function makes of it. */
  now: string
  transform: string | null
  discount: string | null
  line?: Partial<FunctionLine>
  switchOff?: true
  noSwitch?: true
  version?: number
  price?: number
}
const test = '9cf19d4c-77aa-4b0c-b6f2-3d5a8e90c41c'
const rule: PriceRuleSet = { id: test, weights: [0.5, 0.5], prices: { 30100: 2900, 30101: 3900 } }
const markets: PriceSwitch['markets'] = { 1: [1, 0], 2: [100, 95], 3: [100, 0], 4: 0, 5: [5, 0] }
const visitorOf = (arm: 0 | 1) =>
  Array.from({ length: 99 }, (_, i) => `visitor-${i}`).find(
    id => assign(test, id, rule.weights) === arm,
  )!
const { cases } = JSON.parse(
  readFileSync(new URL('../cases/price-functions.json', import.meta.url), 'utf8'),
) as { cases: Case[] }

function inputOf({
  rate = '1',
  currency = 'USD',
  market = '1',
  arm = 1,
  tests = test,
  visitor = visitorOf(arm),
  now,
  line,
  switchOff,
  noSwitch,
  version,
  price,
}: Case): FunctionInput & { discount: { discountClasses: string[] } } {
  const fields = functionFields(
    [price === undefined ? rule : { ...rule, prices: { 30100: price } }],
    { currency: 'USD', markets },
  )
  if ('problem' in fields && fields.problem) throw new Error(fields.problem)
  const made = fields as { switch: string; prices: Record<string, string> }
  const value = JSON.parse(made.switch) as PriceSwitch
  return {
    presentmentCurrencyRate: rate,
    discount: { discountClasses: ['PRODUCT'] },
    shop: {
      metafield: noSwitch
        ? null
        : {
            jsonValue: {
              ...value,
              ...(switchOff && { tests: {} }),
              ...(version && { v: version as 1 }),
            },
          },
    },
    localization: { market: { id: `gid://shopify/Market/${market}` } },
    cart: {
      visitor: visitor === null ? null : { value: visitor },
      tests: tests === null ? null : { value: tests },
      lines: [
        {
          id: 'gid://shopify/CartLine/0',
          cost: { amountPerQuantity: { amount: now, currencyCode: currency } },
          sellingPlanAllocation: null,
          merchandise: {
            __typename: 'ProductVariant',
            id: 'gid://shopify/ProductVariant/30100',
            metafield: { jsonValue: JSON.parse(made.prices['30100']!) },
          },
          ...line,
        },
      ],
    },
  }
}

const quick = await getQuickJS()
/** Runs the bundle. `steps`: how often the engine has asked whether to stop. */
function run(source: string, input: unknown): { output: unknown; steps: number; bytes: number } {
  let steps = 0
  const runtime = quick.newRuntime({ maxStackSizeBytes: 512 * 1024 })
  runtime.setMemoryLimit(10 * 1024 * 1024)
  runtime.setInterruptHandler(() => {
    steps++
    return false
  })
  const context = runtime.newContext()
  try {
    evaluate(context, 'delete globalThis.Intl')
    evaluate(context, source)
    context.setProp(context.global, 'given', context.newString(JSON.stringify(input)))
    const text = evaluate(context, 'JSON.stringify(run(JSON.parse(given)))') as string
    return { output: JSON.parse(text), steps, bytes: text.length }
  } finally {
    context.dispose()
    runtime.dispose()
  }
}
function evaluate(context: QuickJSContext, code: string): unknown {
  const handle = context.unwrapResult(context.evalCode(code))
  const value = context.dump(handle) as unknown
  handle.dispose()
  return value
}

const schemas = {
  'twinshelf-cart-transform': ['functions_cart_transform_2026-10', 'cartTransformRun'],
  'twinshelf-discount': ['functions_discount_2026-10', 'cartLinesDiscountsGenerateRun'],
} as const
const outputs = {
  'twinshelf-cart-transform': (amount: string | null) => ({
    operations:
      amount === null
        ? []
        : [
            {
              lineUpdate: {
                cartLineId: 'gid://shopify/CartLine/0',
                price: { adjustment: { fixedPricePerUnit: { amount } } },
              },
            },
          ],
  }),
  'twinshelf-discount': (amount: string | null) => ({
    operations:
      amount === null
        ? []
        : [
            {
              productDiscountsAdd: {
                selectionStrategy: 'ALL',
                candidates: [
                  {
                    targets: [{ cartLine: { id: 'gid://shopify/CartLine/0' } }],
                    value: { fixedAmount: { amount, appliesToEachItem: true } },
                  },
                ],
              },
            },
          ],
  }),
}

for (const { handle, file, name } of functions) {
  const [schemaFile, result] = schemas[handle]
  const schema = buildClientSchema(
    JSON.parse(
      gunzipSync(
        readFileSync(
          new URL(`../../demo-shop/shopify-web/schema/${schemaFile}.json.gz`, import.meta.url),
        ),
      ).toString(),
    ).data as IntrospectionQuery,
  )
  const resultType = schema.getMutationType()!.getFields()[result]!.args[0]!.type

  t.test(`${handle} charges what pages show, in an engine without Intl`, async t => {
    const source = await bundleFunction(file, name)
    for (const one of cases) {
      const { output } = run(source, inputOf(one))
      const wanted = handle === 'twinshelf-discount' ? one.discount : one.transform
      t.same(output, outputs[handle](wanted), one.name)
      coerceInputValue(output, resultType, (path, _, error) => {
        throw new Error(`${one.name}: ${path.join('.')}: ${error.message}`)
      })
    }
  })

  t.test(`${handle} asks only for what the schema has`, async t => {
    const query = readFileSync(
      new URL(`../../shopify/extensions/${handle}/src/input.graphql`, import.meta.url),
      'utf8',
    )
    t.same(validate(schema, parse(query)), [])
    t.ok(query.length < 3_000, 'the platform takes documents of 3,000 bytes')
  })

  t.test(`${handle} stays within the platform's limits at the largest cart`, async t => {
    const source = await bundleFunction(file, name)
    const whole = inputOf({ name: '', now: '34', transform: null, discount: null })
    // 200 lines, each in ten tests, of which the switch names 150 altogether.
    const tests = Array.from(
      { length: 150 },
      (_, i) => `${String(i).padStart(8, '0')}${test.slice(8)}`,
    )
    const largest = {
      ...whole,
      shop: {
        metafield: {
          jsonValue: {
            ...whole.shop.metafield!.jsonValue,
            tests: Object.fromEntries(tests.map(id => [id, 0])),
          },
        },
      },
      cart: {
        ...whole.cart,
        tests: { value: tests.join() },
        lines: Array.from({ length: 200 }, (_, i) => ({
          ...whole.cart.lines[0]!,
          id: `gid://shopify/CartLine/${test.slice(0, -3)}${i + 100}`,
          merchandise: {
            __typename: 'ProductVariant' as const,
            id: `gid://shopify/ProductVariant/${30100 + i}`,
            metafield: { jsonValue: [[tests[i % 150]!, 2900]] },
          },
        })),
      },
    }
    const { output, steps, bytes } = run(source, largest)
    const { operations } = output as { operations: { productDiscountsAdd?: { candidates: [] } }[] }
    t.equal(
      operations[0]!.productDiscountsAdd?.candidates.length ?? operations.length,
      maxTestedLines,
    )
    t.comment(
      `${handle}: ${steps * 10_000} steps of the engine at most (an estimate), ${bytes} bytes`,
    )
    t.ok(steps * 10_000 < 11_000_000, 'the platform allows 11 million instructions for 200 lines')
    t.ok(bytes < 20_000, 'and 20,000 bytes of output')
    t.ok(JSON.stringify(largest).length < 128_000, 'and 128,000 bytes of input')
  })
}

t.test('the golden cases agree with what pages show', async t => {
  const eur = shownAmount(2900, { rate: 0.92, step: 100, ending: 95 })
  t.equal(cases.find(({ name }) => name === 'euro with its ending')!.transform, `${eur / 100}`)
})
