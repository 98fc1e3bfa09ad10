/**
 * The kind of site that a traffic source is. A source is a name from a campaign (`utm_source=ig`)
 * or a host from a browser. The lists follow the one that Google Analytics publishes with its
 * channel rules, with the sites that send shoppers today. A host includes its subdomains, and the
 * longest match decides (`groups.google.com` is social, `google.com` is search).
 */
export type SourceCategory = 'search' | 'social' | 'video' | 'shopping'

/** A name with a dot at its end stands for itself and for its host under ".com". */
const lists: Record<SourceCategory, string> = {
  search: `google bing. yahoo. duckduckgo. baidu. yandex ecosia ask. aol. naver. daum seznam sogou.
    qwant. dogpile. lycos. startpage. brave search.yahoo.com search.yahoo.co.jp yahoo.co.jp
    ya.ru ecosia.org search.aol.com daum.net seznam.cz so.com 360.cn search.brave.com rambler.ru
    go.mail.ru virgilio.it centrum.cz onet.pl eniro.com startsiden.no biglobe.ne.jp auone.jp
    search.ch com.google.android.googlequicksearchbox`,
  social: `facebook. fb. instagram. ig pinterest twitter. x. linkedin. reddit. tiktok. snapchat.
    whatsapp. telegram tumblr. threads. bluesky mastodon discord. wechat. weibo. vk. line kakao.
    quora. medium. flickr. nextdoor. yelp. tripadvisor. foursquare. meetup. goodreads.
    messenger. googleplus blogger. blogspot. fb.me m.me pin.it t.co lnkd.in redd.it wa.me
    telegram.org t.me threads.net bsky.app mastodon.social discord.gg weibo.cn vkontakte.ru
    ok.ru line.me substack.com deviantart.com behance.net dribbble.com ravelry.com houzz.com
    livejournal.com wordpress.com typepad.com disqus.com stackexchange.com stackoverflow.com
    news.ycombinator.com hatena.ne.jp ameblo.jp blog.naver.com cafe.naver.com xing.com
    viadeo.com flipboard.com getpocket.com digg.com mix.com groups.google.com plus.google.com
    plus.url.google.com com.facebook.katana com.instagram.android com.pinterest
    com.twitter.android com.linkedin.android com.reddit.frontpage`,
  video: `youtube. vimeo. twitch dailymotion. netflix. hulu. disneyplus. wistia. rumble. youtu.be
    twitch.tv wistia.net com.google.android.youtube`,
  shopping: `amazon ebay etsy. walmart. alibaba. aliexpress. mercadolibre shopify. igshopping shop.app
    stripe.com shopping.google.com shopping.yahoo.com shopping.naver.com rakuten.com
    rakuten.co.jp target.com wish.com temu.com zalando.com idealo.de`,
}
// Sites with a domain in many countries.
const families: [SourceCategory, RegExp][] = [
  ['search', /(^|\.)(google|search\.yahoo)\.(com|[a-z]{2}|com?\.[a-z]{2})$/],
  ['search', /(^|\.)yandex\.(com|[a-z]{2}|com\.[a-z]{2})$/],
  ['social', /(^|\.)(pinterest|tripadvisor)\.(com|[a-z]{2}|com?\.[a-z]{2})$/],
  ['shopping', /(^|\.)(amazon|ebay)\.(com|[a-z]{2}|com?\.[a-z]{2})$/],
  ['shopping', /(^|\.)mercadolibre\.(com|com\.[a-z]{2})$/],
]

const known = new Map<string, SourceCategory>(
  Object.entries(lists).flatMap(([category, names]) =>
    names
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
