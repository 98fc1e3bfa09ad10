import t from 'tap'
import {
  analyticsEvents,
  impression,
  impressionLimits,
} from '../../../domain/google/analytics-event.ts'
import { tagManagerId } from '../../../domain/google/gtm-id.ts'

t.test(
  'a tag manager id is "GTM-" followed by uppercase letters or digits, otherwise an error is raised',
  async t => {
    for (const id of ['GTM-A', 'GTM-0', 'GTM-AB12CD3']) t.equal(tagManagerId(id), id)
    for (const id of [
      '',
      'GTM-',
      'GTM-ab12',
      'gtm-AB12',
      'GTM_AB12',
      'GTM-AB 12',
      ' GTM-AB12',
      'GTM-AB12\n',
      'G-AB12',
      'XGTM-AB12',
    ])
      t.throws(() => tagManagerId(id), JSON.stringify(id))
  },
)

t.test('the app’s own analytics events have their names', async t => {
  t.same(
    [...analyticsEvents],
    ['Page Viewed', 'GA Connect Started', 'Test Creation Started', 'Test Viewed'],
  )
})

t.test('an exposure sent to Google keeps the limits of its Measurement Protocol', async t => {
  // developers.google.com/analytics/devguides/collection/protocol/ga4/sending-events: names at most
  // 40 characters, values 100, 25 events, 72 hours.
  const { name, params, timestamp_micros } = impression(
    '00000000-0000-4000-8000-000000000000',
    1,
    1_763_000_000_123,
  )
  t.ok(name.length <= 40)
  for (const [key, value] of Object.entries(params))
    t.ok(key.length <= 40 && value.length <= 100, key)
  t.equal(params.exp_variant_string, 'twinshelf-00000000-0000-4000-8000-000000000000-variant')
  t.equal(timestamp_micros, 1_763_000_000_123_000)
  t.same(impressionLimits, { events: 25, behind: 259_200_000 })
})
