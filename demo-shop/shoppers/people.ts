import { day, hour as hourLength } from '../../domain/time-units.ts'
import type { Chance } from './chance.ts'

/** Where a visit comes from. */
export type Source = { referrer: string; query: string }
/**
 * A shopper before they do anything: their browser, country and source, whether they refuse to be
 * counted or have consented, and whether they know the shop already.
 */
export type Person = {
  name: string
  userAgent: string
  isBot: boolean
  isRefusing: boolean
  isRegular: boolean
  country: string
  isConsenting: boolean
} & Source

const browsers: [number, string][] = [
  [
    30,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
  ],
  [
    18,
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  ],
  [
    6,
    'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
  ],
  [
    5,
    'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  ],
  [
    17,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  [
    13,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
  ],
  [
    6,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  [3, 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  [
    2,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  ],
]
const bots = [
  'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36',
] as const
const sources: [number, Source][] = [
  [24, { referrer: '', query: '' }],
  [24, { referrer: 'https://www.google.com/', query: '' }],
  [
    9,
    {
      referrer: 'https://l.instagram.com/',
      query: 'utm_source=instagram&utm_medium=social&utm_campaign=autumn-firing',
    },
  ],
  [
    4,
    {
      referrer: 'https://www.facebook.com/',
      query: 'utm_source=facebook&utm_medium=paid_social&utm_campaign=autumn-firing',
    },
  ],
  [
    10,
    {
      referrer: 'https://www.google.com/',
      query: 'utm_source=google&utm_medium=cpc&utm_campaign=stoneware&gclid=EAIaIQobChMI',
    },
  ],
  [9, { referrer: '', query: 'utm_source=newsletter&utm_medium=email&utm_campaign=kiln-opening' }],
  [7, { referrer: 'https://www.pinterest.com/', query: '' }],
  [4, { referrer: 'https://www.bing.com/', query: '' }],
  [2, { referrer: 'https://duckduckgo.com/', query: '' }],
  [3, { referrer: 'https://www.thepotterynotebook.example/the-ten-best-mugs', query: '' }],
  [2, { referrer: 'https://slowkitchen.example/', query: '' }],
  [1, { referrer: 'https://old.reddit.com/r/pottery', query: '' }],
  [
    3,
    {
      referrer: 'https://deals.example/',
      query: 'utm_source=deals.example&utm_medium=affiliate&utm_campaign=gift-guide',
    },
  ],
  [
    3,
    {
      referrer: 'https://news.example/',
      query: 'utm_source=adnet&utm_medium=display&utm_campaign=stoneware',
    },
  ],
  [1, { referrer: '', query: 'utm_source=attentive&utm_medium=sms&utm_campaign=kiln-opening' }],
]
/**
 * A visitor who comes back knows the address, follows a newsletter, or searches for the shop's
 * name.
 */
const returns: typeof sources = [
  [60, { referrer: '', query: '' }],
  [22, { referrer: '', query: 'utm_source=newsletter&utm_medium=email&utm_campaign=kiln-opening' }],
  [18, { referrer: 'https://www.google.com/', query: '' }],
]

const firstNames = [
  'Ada',
  'Ben',
  'Carla',
  'Dev',
  'Elena',
  'Finn',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kavya',
  'Liam',
  'Mei',
  'Noor',
  'Otto',
  'Priya',
  'Ruth',
  'Sam',
  'Tomas',
  'Yuki',
]
const lastNames = [
  'Abbott',
  'Brandt',
  'Chen',
  'Diaz',
  'Evans',
  'Fischer',
  'Gupta',
  'Hall',
  'Ito',
  'Jensen',
  'Kowalski',
  'Lopez',
  'Moreau',
  'Novak',
  'Okafor',
  'Park',
  'Rossi',
  'Silva',
  'Tanaka',
  'Walsh',
]

const botShare = 0.015,
  refusingShare = 0.03,
  regularShare = 0.28,
  consentingShare = 0.35

/** The shop ships from the United States, so most shoppers live there. */
const countries: [number, string][] = [
  [78, 'US'],
  [9, 'CA'],
  [5, 'GB'],
  [3, 'DE'],
  [2, 'AU'],
  [1, 'FR'],
  [1, 'NL'],
  [1, 'JP'],
]

/** `aside` draws what does not change what a shopper does. */
export function meetPerson(chance: Chance, aside: Chance): Person {
  const isBot = chance.happens(botShare)
  const isRefusing = !isBot && chance.happens(refusingShare)
  const { referrer, query } = chance.weighted(sources)
  return {
    name: `${chance.pick(firstNames)} ${chance.pick(lastNames)}`,
    isBot,
    isRefusing,
    userAgent: isBot ? chance.pick(bots) : chance.weighted(browsers),
    ...(isBot ? { referrer: '', query: '' } : { referrer, query }),
    isRegular: !isBot && chance.happens(regularShare),
    country: aside.weighted(countries),
    isConsenting: !isBot && aside.happens(consentingShare),
  }
}

export const returnBy = (chance: Chance): Source => chance.weighted(returns)

/** Share of a day's visits by hour of the shop's day. */
const hours = [4, 2, 1, 1, 1, 2, 4, 7, 9, 10, 11, 12, 12, 11, 11, 11, 12, 13, 14, 17, 20, 19, 14, 8]

/**
 * When `count` shoppers first come, in order, within a half-open span of milliseconds: nights are
 * quiet, weekends are busy.
 */
export function arrivals(
  count: number,
  from: number,
  to: number,
  timeZone: string,
  chance: Chance,
): number[] {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hour: 'numeric',
    hourCycle: 'h23',
    weekday: 'short',
  })
  const busy = new Map<number, number>()
  const busyness = (at: number): number => {
    const hour = Math.floor(at / hourLength)
    let known = busy.get(hour)
    if (known === undefined) {
      const parts = clock.formatToParts(hour * hourLength)
      const part = (type: string) => parts.find(p => p.type === type)!.value
      known = (hours[Number(part('hour'))]! / 20) * (part('weekday').startsWith('S') ? 1 : 0.8)
      busy.set(hour, known)
    }
    return known
  }
  // In a span shorter than a day all moments are equally likely.
  const isEven = to - from < day
  return Array.from({ length: count }, () => {
    for (;;) {
      const at = chance.between(from, to)
      if (isEven || chance.happens(busyness(at))) return Math.floor(at)
    }
  }).sort((a, b) => a - b)
}
