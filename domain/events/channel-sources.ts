/**
 * The kind of site that a traffic source is. A source is a name from a campaign (`utm_source=ig`)
 * or a host from a browser. The lists follow the one that Google Analytics publishes with its
 * channel rules, with the sites that send shoppers today. A host includes its subdomains, and the
 * longest match decides (`groups.google.com` is social, `google.com` is search).
 */
export type SourceCategory = 'search' | 'social' | 'video' | 'shopping'

/**
 * A name with a dot at its end stands for itself and for its host under ".com", one with a slash
 * only for that host. A name stands beside its other hosts: the script compresses better so.
 */
const lists: Record<SourceCategory, string> = {
  search: `google bing. yahoo. yahoo.co.jp duckduckgo. baidu. yandex ecosia ecosia.org ask. aol.
    naver. daum daum.net seznam seznam.cz sogou. qwant. dogpile. lycos. startpage. brave
    search.brave/ so/ 360.cn ya.ru rambler.ru go.mail.ru virgilio.it centrum.cz onet.pl eniro/
    startsiden.no biglobe.ne.jp auone.jp search.ch com.google.android.googlequicksearchbox`,
  social: `facebook. fb. fb.me m.me messenger. instagram. ig pinterest pin.it twitter. t.co x.
    linkedin. lnkd.in reddit. redd.it tiktok. snapchat. whatsapp. wa.me telegram telegram.org t.me
    tumblr. threads. threads.net bluesky bsky.app mastodon mastodon.social discord. discord.gg
    wechat. weibo. weibo.cn vk. vkontakte.ru ok.ru line line.me kakao. quora. medium. flickr.
    nextdoor. yelp. tripadvisor. foursquare. meetup. goodreads. googleplus blogger. blogspot.
    substack/ deviantart/ behance.net dribbble/ ravelry/ houzz/ livejournal/ wordpress/ typepad/
    disqus/ stackexchange/ stackoverflow/ news.ycombinator/ hatena.ne.jp ameblo.jp blog.naver/
    cafe.naver/ xing/ viadeo/ flipboard/ getpocket/ digg/ mix/ groups.google/ plus.google/
    plus.url.google/ com.facebook.katana com.instagram.android com.pinterest com.twitter.android
    com.linkedin.android com.reddit.frontpage`,
  video: `youtube. youtu.be com.google.android.youtube vimeo. twitch twitch.tv dailymotion. netflix.
    hulu. disneyplus. wistia. wistia.net rumble.`,
  shopping: `amazon ebay etsy. walmart. alibaba. aliexpress. mercadolibre shopify. igshopping
    shop.app stripe/ shopping.google/ shopping.yahoo/ shopping.naver/ rakuten/ rakuten.co.jp target/
    wish/ temu/ zalando/ idealo.de`,
}
// Sites with a domain in many countries.
const families: [SourceCategory, RegExp][] = [
  ['search', /(^|\.)(google|search\.yahoo)\.(com|(com?\.)?[a-z]{2})$/],
  ['search', /(^|\.)yandex\.(com|(com\.)?[a-z]{2})$/],
  ['social', /(^|\.)(pinterest|tripadvisor)\.(com|(com?\.)?[a-z]{2})$/],
  ['shopping', /(^|\.)(amazon|ebay)\.(com|(com?\.)?[a-z]{2})$/],
  ['shopping', /(^|\.)mercadolibre\.com(\.[a-z]{2})?$/],
]

const known = new Map<string, SourceCategory>(
  Object.entries(lists).flatMap(([category, names]) =>
    names
      .replace(/\//g, '.com')
      .split(/\s+/)
      .flatMap(name => (name.endsWith('.') ? [name.slice(0, -1), `${name}com`] : [name]))
      .map(name => [name, category as SourceCategory] as const),
  ),
)
known.set('google shopping', 'shopping')

/**
 * No name above has more labels. The limit is needed because a visitor can send hundreds, and each
 * one costs a look-up.
 */
const maxLabels = 5

/** The category of a source, which must be in lower case; null when it is in no list. */
export function categoryOf(source: string): SourceCategory | null {
  // A campaign may say "www.google.com".
  const host = source
    .replace(/^www\./, '')
    .split('.')
    .slice(-maxLabels)
    .join('.')
  for (let rest = host; rest; rest = rest.includes('.') ? rest.slice(rest.indexOf('.') + 1) : '') {
    // The last label of a host ("com") is not a name, so it ends the search. A source without dots
    // is looked up.
    if (rest !== host && !rest.includes('.')) break
    const found = known.get(rest)
    if (found) return found
  }
  return families.find(([, hosts]) => hosts.test(host))?.[0] ?? null
}
