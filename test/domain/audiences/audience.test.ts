import t from 'tap'
import { Compile } from 'typebox/compile'
import { AudienceInput } from '../../../domain/audiences/audience.ts'
import {
  type AudienceValues,
  builtInAudiences,
  type MatchOperator,
  matchOperators,
} from '../../../domain/audiences/audience-match.ts'
import { audienceFields } from '../../../domain/audiences/audience-field.ts'
import {
  type AudienceVisit,
  isInAnyAudience,
  matchesAudience,
} from '../../../domain/audiences/audience-visit.ts'
import type { Device } from '../../../domain/device.ts'
import { fc } from '../../properties.ts'

t.test('condition fields keep their stored numbers, operators keep their order', async t => {
  t.same(
    audienceFields.map(({ number, name }) => [number, name]),
    [
      [0, 'Channel'],
      [1, 'UtmSource'],
      [2, 'UtmMedium'],
      [3, 'UtmCampaign'],
      [4, 'UtmContent'],
      [5, 'Url'],
      [6, 'Referer'],
      [7, 'Country'],
    ],
  )
  t.same(
    matchOperators,
    'Equals, DoesNotEqual, Contains, DoesNotContain, StartsWith, EndsWith, DoesNotStartWith, DoesNotEndWith'.split(
      ', ',
    ),
  )
})

// What each operator answers for these texts with the value "spring".
const texts = [
  'spring',
  'SPRING',
  'spring-sale',
  'my-spring',
  'my-spring-sale',
  'autumn',
  '',
  undefined,
  null,
]
const said: Record<MatchOperator, boolean[]> = {
  Equals: [true, true, false, false, false, false, false, false, false],
  DoesNotEqual: [false, false, true, true, true, true, true, true, true],
  Contains: [true, true, true, true, true, false, false, false, false],
  DoesNotContain: [false, false, false, false, false, true, true, true, true],
  StartsWith: [true, true, true, false, false, false, false, false, false],
  EndsWith: [true, true, false, true, false, false, false, false, false],
  DoesNotStartWith: [false, false, false, true, true, true, true, true, true],
  DoesNotEndWith: [false, false, true, false, true, true, true, true, true],
}
t.test('every operator works on every field', async t => {
  audienceFields.forEach(({ name: field, number }) => {
    for (const operator of matchOperators)
      t.same(
        texts.map(text =>
          matchesAudience({ [number]: { operator, value: 'Spring' } }, { [field]: text }),
        ),
        said[operator],
        `${field} ${operator}`,
      )
  })
})

const opposites: [MatchOperator, MatchOperator][] = [
  ['Equals', 'DoesNotEqual'],
  ['Contains', 'DoesNotContain'],
  ['StartsWith', 'DoesNotStartWith'],
  ['EndsWith', 'DoesNotEndWith'],
]
const text = fc.oneof(fc.constantFrom('spring', 'Spring', 'sale', ''), fc.string({ maxLength: 6 }))
const value = text.filter(value => value !== '')
const visit = fc.record(
  Object.fromEntries(audienceFields.map(({ name }) => [name, fc.option(text)])),
  { requiredKeys: [] },
) as fc.Arbitrary<AudienceVisit>
const values = fc.dictionary(
  fc.integer({ min: 0, max: 7 }).map(String),
  fc.record({ operator: fc.constantFrom(...matchOperators), value }),
  { minKeys: 1, maxKeys: 8 },
) as fc.Arbitrary<AudienceValues>

t.test('an operator and its negation never agree, and both ignore case', async () =>
  fc.assert(
    fc.property(
      fc.constantFrom(...opposites),
      fc.integer({ min: 0, max: 7 }),
      value,
      visit,
      ([yes, no], field, value, visit) => {
        const says = (operator: MatchOperator, of = value) =>
          matchesAudience({ [field]: { operator, value: of } }, visit)
        return says(yes) !== says(no) && says(yes) === says(yes, value.toLowerCase())
      },
    ),
  ),
)

t.test('an audience matches when all its conditions hold', async () =>
  fc.assert(
    fc.property(
      values,
      visit,
      (values, visit) =>
        matchesAudience(values, visit) ===
        Object.entries(values).every(([field, condition]) =>
          matchesAudience({ [field]: condition }, visit),
        ),
    ),
  ),
)

t.test('a condition on an unknown field never holds', async t => {
  t.notOk(matchesAudience({ 99: { operator: 'DoesNotEqual', value: 'x' } }, {}))
})

t.test('the built-in audiences', async t => {
  t.equal(new Set(builtInAudiences.map(({ id }) => id)).size, 5)
  const has = (isReturning: boolean, device: Device) =>
    builtInAudiences.filter(each => each.has({ isReturning, device })).map(({ name }) => name)
  t.same(has(false, 'phone'), ['Everyone', 'New visitors', 'Phones'])
  t.same(has(true, 'desktop'), ['Everyone', 'Returning visitors', 'Desktops'])
  t.same(has(true, 'tablet'), ['Everyone', 'Returning visitors'])
})

t.test('a visitor in any of the audiences is in; an empty list means everyone', async t => {
  const visitor = { isReturning: true, device: 'phone' as const }
  const britons = { id: 'a', values: { 7: { operator: 'Equals' as const, value: 'GB' } } },
    desktops = { id: builtInAudiences[4]!.id, values: {} }
  t.ok(isInAnyAudience([], {}, visitor))
  t.notOk(isInAnyAudience([britons, desktops], { Country: 'FR' }, visitor))
  t.ok(isInAnyAudience([britons, desktops], { Country: 'gb' }, visitor))
  t.ok(isInAnyAudience([britons, desktops], { Country: 'FR' }, { ...visitor, device: 'desktop' }))
})

t.test('an audience is stored only with valid name, fields, operators and values', async t => {
  const check = Compile(AudienceInput)
  const condition = { operator: 'Equals', value: 'GB' }
  t.ok(check.Check({ name: 'Britons', values: { 7: condition } }))
  t.ok(
    check.Check({
      name: 'x'.repeat(80),
      values: { 0: condition, 5: { operator: 'Contains', value: 'x'.repeat(500) } },
    }),
  )
  for (const bad of [
    { name: '', values: { 7: condition } },
    { name: 'x'.repeat(81), values: { 7: condition } },
    { name: 'x', values: {} },
    { name: 'x', values: { 99: condition } },
    { name: 'x', values: { Country: condition } },
    { name: 'x', values: { 7: { ...condition, operator: 'Is' } } },
    { name: 'x', values: { 7: { ...condition, value: '' } } },
    { name: 'x', values: { 7: { ...condition, value: 'x'.repeat(501) } } },
    { name: 'x', values: { 7: { ...condition, more: 1 } } },
  ])
    t.notOk(check.Check(bad), JSON.stringify(bad).slice(0, 80))
})
