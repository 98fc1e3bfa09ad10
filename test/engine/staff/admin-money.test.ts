import t from 'tap'
import { notCsv } from '../../../domain/csv.ts'
import { earningsLimits } from '../../../domain/staff/staff-earnings.ts'
import type { DiscountInput } from '../../../domain/staff/staff-discounts.ts'
import { startPanel } from '../support/staff-panel.ts'

const {
  own: { db, now, call: merchant },
  staff,
  refusal,
  day,
  signedIn,
  close,
} = await startPanel()
t.teardown(close)
const inDays = (days: number) => new Date(now.at.getTime() + days * day).toISOString()
const codes = () => db.kysely.selectFrom('discount_codes').selectAll().execute()
const plain: DiscountInput = {
  code: 'spring-20',
  valueType: 0,
  value: 20,
  planId: null,
  expiresAt: null,
  maxStores: null,
}
const add = (over: Partial<DiscountInput> = {}) =>
  staff('addDiscount', { body: { ...plain, ...over } })

t.test('errors of a new code name their fields, and nothing is stored', async t => {
  const wrong: [Partial<DiscountInput>, string][] = [
    [{ code: ' ' }, 'code'],
    [{ code: 'ab' }, 'code'],
    [{ code: 'TWO WORDS' }, 'code'],
    [{ code: '-LEAD' }, 'code'],
    [{ code: 'ümlaut' }, 'code'],
    [{ code: 'A'.repeat(33) }, 'code'],
    [{ value: 0 }, 'value'],
    [{ value: 100 }, 'value'],
    [{ value: 12.5 }, 'value'],
    [{ value: -3 }, 'value'],
    [{ valueType: 1, value: 59, planId: 'core-50k-monthly' }, 'value'],
    [{ valueType: 1, value: 100_000 }, 'value'],
    [{ valueType: 1, value: 2_000_000 }, 'value'],
    [{ planId: 'no-such-plan' }, 'planId'],
    [{ planId: 'core-unlimited-monthly' }, 'planId'],
    [{ expiresAt: inDays(-1) }, 'expiresAt'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: '2027-02-30T23:59:59.999Z' }, 'expiresAt'],
    [{ expiresAt: inDays(5_000) }, 'expiresAt'],
    [{ maxStores: 0 }, 'maxStores'],
    [{ maxStores: 1.5 }, 'maxStores'],
    [{ maxStores: -1 }, 'maxStores'],
  ]
  for (const [over, field] of wrong) {
    const refused = await refusal(add(over))
    t.same(
      [refused.status, refused.problem.fields?.map(each => each.field)],
      [400, [field]],
      JSON.stringify(over),
    )
  }
  t.equal(
    (await refusal(add({ code: 'x', value: 0, maxStores: 0 }))).problem.fields?.length,
    3,
    'all errors at once',
  )
  t.same(await codes(), [])
})

t.test('a code is added only once, can be used, and is ended', async t => {
  t.match(await add({ expiresAt: inDays(3), maxStores: 2 }), {
    code: 'SPRING-20',
    valueType: 0,
    value: 20,
    plan: null,
    hasEnded: false,
    stores: 0,
    maxStores: 2,
  })
  t.match(await refusal(add({ code: ' Spring-20 ' })), {
    status: 409,
    problem: { fields: [{ field: 'code', message: 'There is a code SPRING-20 already.' }] },
  })
  await add({ code: 'FIFTY', valueType: 1, value: 50, planId: 'core-50k-monthly' })
  t.match(await merchant('checkDiscount', { params: { code: 'spring-20' } }), {
    isValid: true,
    valueType: 0,
    value: 20,
  })
  const { id } = await merchant('storeInfo', {})
  const subscription = {
    store_id: id,
    plan_id: 'core-50k-monthly',
    discount_code: 'SPRING-20',
    trial_ends_at: null,
    created_at: now.at,
    updated_at: now.at,
  }
  await db.kysely
    .insertInto('subscriptions')
    .values([
      { ...subscription, subscription_id: 'a', status: 'Active', current_period_ends_at: now.at },
      { ...subscription, subscription_id: 'b', status: 'Declined', current_period_ends_at: null },
    ])
    .execute()
  const applied = await staff('adminDiscountsApplied', { query: { search: 'spring' } })
  t.match(
    applied,
    {
      count: 1,
      applied: [
        { code: 'SPRING-20', value: 20, plan: 'Core 50k', status: 'Active', store: { id } },
      ],
    },
    'a declined subscription is no use of a code',
  )
  t.match(await staff('adminDiscounts', { query: { sort: 'stores', descending: true } }), {
    count: 2,
    counts: { open: 2, ended: 0 },
    codes: [
      { code: 'SPRING-20', stores: 1 },
      { code: 'FIFTY', stores: 0, plan: 'Core 50k' },
    ],
  })
  t.match(await staff('endDiscount', { params: { code: 'fifty' } }), {
    code: 'FIFTY',
    hasEnded: true,
  })
  t.match(await merchant('checkDiscount', { params: { code: 'FIFTY' } }), { isValid: false })
  t.match(await refusal(staff('endDiscount', { params: { code: 'FIFTY' } })), {
    status: 409,
    message: /ended already/,
  })
  for (const [code, status] of [
    ['NOTHING', 404],
    ['..', 404],
    ['\0', 400],
  ] as const)
    t.equal((await refusal(staff('endDiscount', { params: { code } }))).status, status)
  t.same(
    (await staff('adminDiscounts', { query: { state: 'ended' } })).codes.map(({ code }) => code),
    ['FIFTY'],
  )
  t.same(
    (
      await db.kysely
        .selectFrom('staff_acts')
        .select('act')
        .where('about', '=', 'FIFTY')
        .orderBy('seq')
        .execute()
    ).map(({ act }) => act),
    ['Added a discount code', 'Ended a discount code'],
  )
})

const header = 'month,shop,plan,gross,fee,net'
const line = (
  month: string,
  shop = 'fern-and-kiln.demo-shop.test',
  rest = 'core-50k-monthly,59.00,8.85,50.15',
) => `${month},${shop},${rest}`
const upload = (rows: string[], replace = false, first = header) =>
  staff('uploadEarnings', {
    body: { fileName: 'payout.csv', csv: [first, ...rows].join('\n'), replace },
  })
const earnings = () =>
  db.kysely.selectFrom('earnings').selectAll().orderBy('month').orderBy('shop').execute()

t.test('a file with an invalid cell is refused as a whole, with row and column', async t => {
  const future = inDays(40).slice(0, 7)
  const bad: [string, string][] = [
    ['2026-13,a.test,core-50k-monthly,1,0,1', 'month'],
    [`${future},a.test,core-50k-monthly,1,0,1`, 'month'],
    ['11/2025,a.test,core-50k-monthly,1,0,1', 'month'],
    ['2025-11,Not A Shop,core-50k-monthly,1,0,1', 'shop'],
    ['2025-11,a.test,no-plan,1,0,1', 'plan'],
    ['2025-11,a.test,core-50k-monthly,$1,0,1', 'gross'],
    ['2025-11,a.test,core-50k-monthly,1.005,0,1', 'gross'],
    ['2025-11,a.test,core-50k-monthly,1,1e3,1', 'fee'],
    ['2025-11,a.test,core-50k-monthly,10,1,8', 'net'],
    ['2025-11,a.test,core-50k-monthly,99999999999,0,99999999999', 'gross'],
    ['2025-11,=cmd,core-50k-monthly,1,0,1', 'shop'],
  ]
  for (const [row, column] of bad)
    t.match(
      await refusal(upload([line('2025-11'), row])),
      {
        status: 400,
        problem: { fields: [{ field: 'file', message: new RegExp(`^Row 3, ${column}: `) }] },
      },
      row,
    )
  t.match(
    await refusal(upload([line('2025-11'), '', line('2025-11')])),
    {
      problem: {
        fields: [{ message: 'Row 4, plan: Row 2 has this month, shop and plan already.' }],
      },
    },
    'a blank row counts',
  )
  t.match(await refusal(upload(['2025-11,a.test,core-50k-monthly,1,0'])), {
    problem: { fields: [{ message: 'Row 2: 5 cells instead of 6.' }] },
  })
  t.match(await refusal(upload([line('2025-11')], false, 'shop,month')), {
    problem: { fields: [{ message: /^Row 1: The first row must be month,shop/ }] },
  })
  t.match(await refusal(upload([])), {
    problem: { fields: [{ message: 'Row 2: The file has no rows below the header.' }] },
  })
  t.match(await refusal(upload(['2025-11,"a.test,core'])), {
    problem: { fields: [{ message: new RegExp(`^Row \\d: ${notCsv}$`) }] },
  })
  t.match(
    await refusal(
      upload(
        Array.from(
          { length: earningsLimits.rows + 1 },
          (_, i) => `2025-11,a${i}.test,core-50k-monthly,1,0,1`,
        ),
      ),
    ),
    { problem: { fields: [{ message: /at most 2,000 rows/ }] } },
  )
  t.equal(
    (await refusal(upload(Array.from({ length: 50 }, () => 'x,a.test,core-50k-monthly,1,0,1'))))
      .problem.fields?.length,
    20,
    'the first twenty errors are named',
  )
  t.equal((await refusal(upload(['x'.repeat(earningsLimits.bytes)]))).status, 400)
  t.same(await earnings(), [])
})

t.test('a month has its sums, and is replaced only if the request says so', async t => {
  const taken = await upload([
    line('2025-11'),
    line('2025-11', 'other.demo-shop.test', 'pro-50k-monthly,-239.00,-35.85,-203.15'),
    `${line('2025-10')}\r`,
  ])
  t.equal(taken.rows, 3)
  t.match(taken.months, [
    {
      month: '2025-11',
      rows: 2,
      shops: 2,
      gross: -18000,
      fee: -2700,
      net: -15300,
      fileName: 'payout.csv',
      uploadedBy: signedIn.name,
    },
    { month: '2025-10', rows: 1, net: 5015 },
  ])
  t.match(await refusal(upload([line('2025-11'), line('2025-09')])), {
    status: 409,
    problem: { fields: [{ field: 'month', message: '2025-11' }] },
  })
  t.equal((await earnings()).length, 3, 'nothing of the second file was stored')
  await upload([line('2025-11', undefined, 'core-50k-monthly,10,1,9'), line('2025-09')], true)
  const { months, total, count } = await staff('adminEarnings', { query: {} })
  t.same(
    months.map(({ month, net }) => [month, net]),
    [
      ['2025-11', 900],
      ['2025-10', 5015],
      ['2025-09', 5015],
    ],
  )
  t.same([count, total.net, total.gross - total.fee], [3, 10_930, 10_930])
  t.match(await staff('adminEarningsMonth', { params: { month: '2025-11' }, query: {} }), {
    count: 1,
    lines: [
      { shop: 'fern-and-kiln.demo-shop.test', plan: 'Core 50k', gross: 1000, fee: 100, net: 900 },
    ],
  })
  t.equal(
    (await refusal(staff('adminEarningsMonth', { params: { month: '2024-01' }, query: {} })))
      .status,
    404,
  )
  t.same(
    (
      await db.kysely
        .selectFrom('staff_acts')
        .select('act')
        .where('act', 'like', '%earnings')
        .orderBy('seq')
        .execute()
    ).map(({ act }) => act),
    ['Uploaded earnings', 'Replaced earnings'],
  )
  const [one, other] = await Promise.allSettled([
    upload([line('2025-08')]),
    upload([line('2025-08')]),
  ])
  t.same(
    [one.status, other.status].sort(),
    ['fulfilled', 'rejected'],
    'of two equal uploads at once, one is stored',
  )
})
