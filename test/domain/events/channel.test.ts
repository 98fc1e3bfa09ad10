import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  type Channel,
  channelLabels,
  channelOf,
  channelRuleNames,
  channels,
  referrerHost,
  trafficSource,
} from '../../../domain/events/channel.ts'

type Cases = {
  rules: [
    rule: string,
    words: string,
    visits: [landing: string, referrer: string, channel: Channel][],
  ][]
  hosts: [referrer: string, host: string][]
}
const { rules, hosts } = JSON.parse(
  readFileSync(new URL('../../cases/channels.json', import.meta.url), 'utf8'),
) as Cases
const own = new Set(['shop.example', 'www.shop.example', 'fern.demo-shop.test'])
const channelFrom = (landing: string, referrer: string) =>
  channelOf(trafficSource(landing, referrerHost(referrer, own)))

t.test('a visit’s channel is the first public rule that matches', async t => {
  t.same(
    channelRuleNames,
    rules.slice(0, -1).map(([name]) => name),
    'each published rule in its place',
  )
  for (const [rule, words, visits] of rules)
    for (const [landing, referrer, channel] of visits)
      t.equal(
        channelFrom(landing, referrer),
        channel,
        `${rule} (${words}): ${landing} from ${referrer || 'nowhere'}`,
      )
})

t.test('only the beginning of a campaign is read, as long as a host may be', async t => {
  const long = `a${'.'.repeat(2_000)}`,
    from = trafficSource(`/?utm_source=${long}&utm_medium=${long}&utm_campaign=${long}`, '')
  for (const [name, text] of Object.entries(from)) t.equal(text.length, 255, name)
})

t.test('every channel has a label and a visit that leads to it', async t => {
  const reached = new Set(rules.flatMap(([, , visits]) => visits.map(([, , channel]) => channel)))
  for (const channel of channels) t.ok(reached.has(channel) && channelLabels[channel], channel)
})

t.test(
  'the referring host has no www, and is empty for the shop’s own host and for invalid ones',
  async t => {
    for (const [referrer, host] of hosts)
      t.equal(referrerHost(referrer, own), host, referrer || 'none')
    t.ok(referrerHost(`https://${'a.'.repeat(400)}example/`, own).length <= 255)
  },
)
