import t from 'tap'
import { instantOf, shopTime } from '../../../domain/stores/shop-time.ts'

t.test('an instant becomes the shop’s local time and back', async t => {
  for (const zone of [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Apia',
    'Australia/Lord_Howe',
    'America/St_Johns',
  ]) {
    for (
      let at = Date.parse('2026-01-01T00:00:00Z');
      at < Date.parse('2027-01-01T00:00:00Z');
      at += 37 * 3_600_000 + 15 * 60_000
    ) {
      const shown = shopTime(new Date(at), zone),
        back = instantOf(shown, zone)!
      // When an hour occurs twice, its second occurrence is read as the first.
      if (back.getTime() !== at) t.equal(shopTime(back, zone), shown, `${zone} ${shown}`)
    }
  }
  t.equal(shopTime('2026-11-25T08:00:00Z', 'Europe/Berlin'), '2026-11-25T09:00')
  t.equal(instantOf('2026-07-25T09:00', 'Europe/Berlin')!.toISOString(), '2026-07-25T07:00:00.000Z')
  t.equal(
    instantOf(' 2026-07-25T09:00:00 ', 'Europe/Berlin')!.toISOString(),
    '2026-07-25T07:00:00.000Z',
    'some browsers add seconds',
  )
})

t.test('local times when the clock changes', async t => {
  // Berlin: 29 March 2026 has no 02:30; 25 October 2026 has two.
  t.equal(
    instantOf('2026-03-29T02:30', 'Europe/Berlin')!.toISOString(),
    '2026-03-29T01:30:00.000Z',
    'a missing time is read as after the change',
  )
  t.equal(shopTime('2026-03-29T01:30:00Z', 'Europe/Berlin'), '2026-03-29T03:30')
  t.equal(
    instantOf('2026-10-25T02:30', 'Europe/Berlin')!.toISOString(),
    '2026-10-25T00:30:00.000Z',
    'a time that occurs twice is read as the first',
  )
  t.equal(instantOf('2026-03-29T01:59', 'Europe/Berlin')!.toISOString(), '2026-03-29T00:59:00.000Z')
  t.equal(instantOf('2026-03-29T03:00', 'Europe/Berlin')!.toISOString(), '2026-03-29T01:00:00.000Z')
  t.equal(
    instantOf('2026-11-01T01:30', 'America/New_York')!.toISOString(),
    '2026-11-01T05:30:00.000Z',
  )
})

t.test('an invalid time is null', async t => {
  for (const text of [
    '',
    'soon',
    '2026-02-30T09:00',
    '2026-13-01T09:00',
    '2026-11-25T24:00',
    '2026-11-25T09:60',
    '2026-11-25',
    '25.11.2026 09:00',
    '2026-11-25T09:00Z',
    '99999-11-25T09:00',
  ])
    t.equal(instantOf(text, 'Europe/Berlin'), null, text)
})
