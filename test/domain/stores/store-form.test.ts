import t from 'tap'
import {
  parseExperience,
  parseIndustry,
  parseStoreName,
} from '../../../domain/stores/store-form.ts'
import { storeNameLength } from '../../../domain/stores/store.ts'

t.test('a name is trimmed, required, and not longer than the API allows', async t => {
  t.same(parseStoreName({ name: '  Fern & Kiln ' }), {
    value: { name: 'Fern & Kiln' },
    problems: [],
  })
  t.same(parseStoreName({ name: 'x'.repeat(storeNameLength) }).problems, [])
  for (const name of ['', '   ', undefined])
    t.same(parseStoreName({ name }), {
      value: null,
      problems: [{ field: 'name', message: 'Give the store a name.' }],
    })
  t.same(parseStoreName({ name: 'x'.repeat(101) }), {
    value: null,
    problems: [{ field: 'name', message: 'Keep it to 100 characters; these are 101.' }],
  })
})

t.test('answers must be offered choices, and each problem names its field', async t => {
  t.same(parseIndustry({ selectedIndustry: 'food', teamSize: '2-5' }), {
    value: { selectedIndustry: 'food', teamSize: '2-5' },
    problems: [],
  })
  t.same(
    parseIndustry({ selectedIndustry: 'constructor', teamSize: '' }).problems.map(
      ({ field }) => field,
    ),
    ['selectedIndustry', 'teamSize'],
  )
  t.same(
    parseIndustry({ selectedIndustry: ['food', 'pets'], teamSize: '51+' }).problems.map(
      ({ field }) => field,
    ),
    ['selectedIndustry'],
  )
  t.same(parseExperience({ testingExperience: 'none', source: 'event' }), {
    value: { testingExperience: 'none', source: 'event' },
    problems: [],
  })
  t.same(
    parseExperience({ testingExperience: 'none' }).problems.map(({ field }) => field),
    ['source'],
  )
  t.same(
    parseExperience({}).problems.map(({ field }) => field),
    ['testingExperience', 'source'],
  )
})
