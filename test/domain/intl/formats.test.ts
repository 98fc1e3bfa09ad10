import t from 'tap'
import { dateFormat, numberFormat } from '../../../domain/intl/formats.ts'
import { formatMoney } from '../../../domain/money.ts'

t.test('a formatter is made once for its locale, zone, currency and form', async t => {
  const day = { timeZone: 'Asia/Kolkata', day: 'numeric' } as const
  t.equal(dateFormat('en-GB', day), dateFormat('en-GB', { ...day }))
  t.not(dateFormat('en-GB', day), dateFormat('en-US', day))
  t.not(dateFormat('en-GB', day), dateFormat('en-GB', { ...day, timeZone: 'Europe/Paris' }))
  const yen = { style: 'currency', currency: 'JPY' } as const
  t.equal(numberFormat('en-US', yen), numberFormat('en-US', { ...yen }))
  t.not(numberFormat('en-US', yen), numberFormat('en-US', { ...yen, currency: 'EUR' }))
  t.not(numberFormat('en-US', yen), numberFormat('en-US', { ...yen, maximumFractionDigits: 2 }))
})

t.test('money has its currency and its form, whatever was formatted before', async t => {
  t.equal(formatMoney(8_049_131, 'USD'), '$80,491.31')
  t.equal(formatMoney(8_049_131, 'JPY'), '¥8,049,131')
  t.equal(formatMoney(8_049_131, 'USD', true), '$80,491')
  t.equal(formatMoney(8_049_131, 'USD'), '$80,491.31')
})

t.test('an unknown zone or currency throws each time, and nothing is kept of it', async t => {
  for (let i = 0; i < 2; i++) {
    t.throws(() => dateFormat('en-GB', { timeZone: 'Nowhere/Atall' }), RangeError)
    t.throws(() => numberFormat('en', { style: 'currency', currency: '!' }), RangeError)
  }
})

t.test('only the newest formatters are kept', async t => {
  const first = numberFormat('en-US', { minimumIntegerDigits: 3 })
  // 256 others: 21 lengths by 13 numbers of decimals.
  for (let digits = 1; digits <= 21; digits++)
    for (let places = 0; places < 13; places++)
      numberFormat('en-US', { minimumIntegerDigits: digits, minimumFractionDigits: places })
  t.not(numberFormat('en-US', { minimumIntegerDigits: 3 }), first)
})
