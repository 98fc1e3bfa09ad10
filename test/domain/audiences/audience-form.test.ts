import t from 'tap'
import {
  audienceForm,
  choicesOf,
  chosen,
  describeAudience,
  emptyCondition,
  parseAudience,
  postedAudience,
  reachWords,
  withCondition,
} from '../../../domain/audiences/audience-form.ts'
import { audienceFields } from '../../../domain/audiences/audience-field.ts'
import { matchOperators } from '../../../domain/audiences/audience-match.ts'

t.test('every field takes every operator, and the form reads it back unchanged', async t => {
  audienceFields.forEach(({ number: field }) => {
    for (const operator of matchOperators) {
      const posted = {
        name: 'One',
        [`values.${field}.operator`]: operator,
        [`values.${field}.value`]: ' x ',
      }
      const { input, problems } = parseAudience(postedAudience(posted))
      t.same(
        [input, problems],
        [{ name: 'One', values: { [field]: { operator, value: 'x' } } }, []],
      )
      t.same(audienceForm(input as Parameters<typeof audienceForm>[0]).rows[field], {
        operator,
        value: 'x',
      })
      t.equal(
        Object.values(audienceForm(input as Parameters<typeof audienceForm>[0]).rows).filter(
          Boolean,
        ).length,
        1,
        'other fields have no row',
      )
    }
  })
})

t.test('each problem names its field', async t => {
  const fields = (posted: Record<string, string>) =>
    parseAudience(postedAudience(posted)).problems.map(p => p.field)
  t.same(fields({}), ['name', 'values'])
  t.same(fields({ name: 'x'.repeat(81), 'values.0.value': 'Email' }), ['name'])
  t.same(
    fields({ name: 'One', 'values.3.value': '  ' }),
    ['values.3.value'],
    'a condition without a value',
  )
  t.same(fields({ name: 'One', 'values.3.value': 'x'.repeat(501) }), ['values.3.value'])
  t.same(
    postedAudience({ 'values.0.operator': 'Resembles' }).rows[0],
    { operator: 'Equals', value: '' },
    'an unknown operator is not taken',
  )
})

t.test('a condition with few possible values has a list, the others have a text field', t => {
  t.ok(choicesOf('Channel', emptyCondition)?.some(each => each.value === 'Organic search'))
  t.match(
    chosen(choicesOf('Country', { operator: 'DoesNotEqual', value: 'de' })!, 'de'),
    { value: 'DE', label: 'Germany' },
    'the choice has the value that is compared',
  )
  t.equal(
    choicesOf('Country', { operator: 'StartsWith', value: 'D' }),
    null,
    'an operator that only API calls can store',
  )
  t.equal(choicesOf('Channel', { operator: 'Equals', value: 'Pigeon' }), null)
  t.equal(choicesOf('UtmSource', emptyCondition), null)
  const one = withCondition({ name: 'One', rows: {} }, 7, emptyCondition)
  t.same(
    Object.entries(one.rows).flatMap(([field, row]) => (row ? [field] : [])),
    ['7'],
  )
  t.same(Object.values(withCondition(one, 7, null).rows).filter(Boolean), [])
  t.end()
})

t.test('an audience in words', async t => {
  t.equal(
    describeAudience({
      0: { operator: 'Equals', value: 'Email' },
      7: { operator: 'DoesNotEqual', value: 'DE' },
    }),
    'Channel is Email and Country is not Germany',
  )
  t.equal(
    describeAudience({
      0: { operator: 'StartsWith', value: 'Paid' },
      3: { operator: 'Equals', value: 'sale' },
    }),
    'Channel starts with Paid and UTM campaign equals sale',
  )
  t.match(
    reachWords({ visitors: 2000, matching: 240, share: 0.12, isBlind: false }),
    /^About 12% of visitors are in this audience: 240 of 2,000/,
  )
  t.match(
    reachWords({ visitors: 2000, matching: 3, share: 0.0015, isBlind: false }),
    /^Less than 1% of visitors are/,
  )
  t.match(
    reachWords({ visitors: 2000, matching: 1999, share: 0.9995, isBlind: false }),
    /^Over 99%/,
  )
  t.match(reachWords({ visitors: 2000, matching: 2000, share: 1, isBlind: false }), /100%/)
  t.match(
    reachWords({ visitors: 2000, matching: 0, share: 0, isBlind: false }),
    /^No visitor of the last 28 days/,
  )
  t.match(
    reachWords({ visitors: 2000, matching: 0, share: 0, isBlind: true }),
    /^No visitor of the last 28 days is in this audience. Addresses are kept without their query, except utm_source,/,
  )
  t.match(reachWords({ visitors: 0, matching: 0, share: null, isBlind: false }), /no visitors/)
})
